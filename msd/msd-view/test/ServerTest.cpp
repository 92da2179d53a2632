// Who may talk to the server, and what bad guests can do: nothing.
#include "msd-view/src/ViewServer.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "msd-view/test/Client.hpp"
#include "msd-view/test/FakeSource.hpp"

namespace msd_view::test {
namespace {

using namespace std::chrono_literals;

class Server : public testing::Test {
 protected:
  void start(std::size_t cubes = 8) {
    server =
        std::make_unique<ViewServer>(std::make_unique<FakeSource>(cubes), ServerOptions{.port = 0});
    port = server->port();
    host = fmt::format("127.0.0.1:{}", port);
    origin = "http://" + host;
    path = server->url().substr(server->url().find('/', 7));
  }
  [[nodiscard]] Request good(const std::string& below) const {
    return {.target = path + below, .host = host};
  }
  [[nodiscard]] SocketClient viewer() const {
    return SocketClient{port, path + "socket", host, origin};
  }
  /// Waits until this many viewers are connected; whether it came to that.
  [[nodiscard]] bool waitForViewers(std::size_t count) const {
    for (int i = 0; i < 200 && server->viewerCount() != count; ++i)
      std::this_thread::sleep_for(25ms);
    return server->viewerCount() == count;
  }

  std::unique_ptr<ViewServer> server;
  std::uint16_t port{0};
  std::string host, origin, path;
};

TEST_F(Server, servesItsPageToWhoeverKnowsTheToken) {
  start();
  const Reply reply = ask(port, good(""));
  EXPECT_EQ(reply.status, 200u);
  EXPECT_NE(reply.body.find("<html"), std::string::npos);
  EXPECT_NE(reply.security.find("default-src 'none'"), std::string::npos);
}

TEST_F(Server, refusesAWrongOrMissingToken) {
  start();
  Request request = good("");
  request.target[1] = request.target[1] == 'A' ? 'B' : 'A';
  EXPECT_EQ(ask(port, request).status, 403u);
  request.target = "/";
  EXPECT_EQ(ask(port, request).status, 403u);
  request.target = path.substr(0, path.size() - 1);
  EXPECT_EQ(ask(port, request).status, 403u);
  EXPECT_FALSE((SocketClient{port, "/wrong/socket", host, origin}).isOpen());
}

TEST_F(Server, refusesAnotherHost) {
  start();
  Request request = good("");
  for (const std::string& wrong :
       {std::string{"evil.example"}, fmt::format("evil.example:{}", port), std::string{"127.0.0.1"},
        std::string{}}) {
    request.host = wrong;
    EXPECT_EQ(ask(port, request).status, 421u) << wrong;
  }
  EXPECT_FALSE(
      (SocketClient{port, path + "socket", fmt::format("evil.example:{}", port), origin}).isOpen());
}

TEST_F(Server, refusesAnotherOrigin) {
  start();
  Request request = good("");
  request.origin = "http://evil.example";
  EXPECT_EQ(ask(port, request).status, 403u);
  EXPECT_FALSE((SocketClient{port, path + "socket", host, "http://evil.example"}).isOpen());
  EXPECT_FALSE((SocketClient{port, path + "socket", host, ""}).isOpen());
  Request post = good("open?name=a.json");
  post.method = http::verb::post;
  EXPECT_EQ(ask(port, post).status, 403u);
  EXPECT_TRUE(viewer().isOpen());
}

TEST_F(Server, saysWhatIsWrongWithADroppedScene) {
  start();
  Request post = good("open?name=my%20scene.json");
  post.method = http::verb::post;
  post.origin = origin;
  post.body = R"({"version": 1, "shapes": {}, "bodies": [{"name": "a", "shape": "none"}]})";
  const Reply reply = ask(port, post);
  EXPECT_EQ(reply.status, 422u);
  EXPECT_EQ(reply.body.find("my scene.json:1:"), 0u) << reply.body;
  EXPECT_NE(reply.body.find("bodies[0].shape"), std::string::npos) << reply.body;
}

// Recordings are large: the limit is 2 GiB, not that of an ordinary request.
TEST_F(Server, takesADroppedFileOfManyMegabytes) {
  start();
  Request post = good("open?name=large.json");
  post.method = http::verb::post;
  post.origin = origin;
  post.body = R"({"version": 1, "description": ")" + std::string(3u << 20, 'x') + R"(", "bodies": 1})";
  Reply reply = ask(port, post);
  EXPECT_EQ(reply.status, 422u);  // it arrived, and is no scene
  EXPECT_NE(reply.body.find("large.json:1:"), std::string::npos) << reply.body.substr(0, 200);
  post.body = R"({"version": 1, "shapes": {"s": {"type": "sphere", "radius": 1}},
    "bodies": [{"name": "a", "shape": "s"}]})" + std::string(3u << 20, ' ');
  reply = ask(port, post);
  EXPECT_EQ(reply.status, 200u) << reply.body;
  SocketClient client = viewer();
  EXPECT_FALSE(client.readText("\"t\":\"state\"").empty());
}

TEST_F(Server, saysThatADroppedFileIsTooLarge) {
  start();
  net::io_context context;
  tcp::socket socket = connectTo(context, port);
  net::write(socket, net::buffer(fmt::format("POST {}open?name=x HTTP/1.1\r\nHost: {}\r\nOrigin: {}\r\n"
                                             "Content-Length: 3000000000\r\n\r\nbegin",
                                             path, host, origin)));
  beast::flat_buffer buffer;
  http::response<http::string_body> response;
  http::read(socket, buffer, response);
  EXPECT_EQ(response.result_int(), 413u);
  EXPECT_NE(response.body().find("2 GiB"), std::string::npos);
}

TEST_F(Server, saysThatAPortIsInUse) {
  start();
  try {
    const ViewServer second{std::make_unique<FakeSource>(), ServerOptions{.port = port}};
    FAIL() << "two servers on one port";
  } catch (const ServerError& error) {
    EXPECT_NE(std::string{error.what()}.find(fmt::format("port {}", port)), std::string::npos);
    EXPECT_NE(std::string{error.what()}.find("--port 0"), std::string::npos);
  }
}

TEST_F(Server, answersAWrongWishWithWhatWasExpected) {
  start();
  SocketClient client = viewer();
  client.send(R"({"c": "speed", "speed": -2})");
  EXPECT_NE(client.readText("error").find("expected a number from 0"), std::string::npos);
  client.send("no json");
  EXPECT_NE(client.readText("error").find("JSON object"), std::string::npos);
  client.send(R"({"c": "step", "count": 1e9})");
  EXPECT_NE(client.readText("error").find("whole number"), std::string::npos);
  EXPECT_TRUE(client.isOpen());
}

TEST_F(Server, closesOnAMessageThatIsTooLongOrTooManyOfThem) {
  start();
  SocketClient loud = viewer();
  loud.send(std::string(100'000, ' '));
  while (loud.isOpen()) static_cast<void>(loud.read());
  SocketClient quick = viewer();
  for (int i = 0; i < 5000 && quick.isOpen(); ++i) quick.send(R"({"c":"select","body":-1})");
  while (quick.isOpen()) static_cast<void>(quick.read());
  EXPECT_TRUE(viewer().isOpen());
}

TEST_F(Server, showsPicturesToSeveralViewersAndForgetsThoseWhoLeave) {
  start();
  for (int round = 0; round < 3; ++round) {
    std::vector<std::unique_ptr<SocketClient>> clients;
    for (int i = 0; i < 10; ++i) {
      clients.push_back(std::make_unique<SocketClient>(port, path + "socket", host, origin));
      ASSERT_TRUE(clients.back()->isOpen());
    }
    for (auto& client : clients) EXPECT_FALSE(client->readText("\"t\":\"state\"").empty());
    EXPECT_TRUE(waitForViewers(10));
    clients.clear();
    EXPECT_TRUE(waitForViewers(0));
  }
}

// Wishes arrive up to the last moment; the server's thread must not hand them to a player that is gone.
TEST_F(Server, endsWhileWishesArrive) {
  for (int round = 0; round < 10; ++round) {
    start(500);
    SocketClient client = viewer();
    ASSERT_TRUE(client.isOpen());
    std::atomic<bool> isUnderWay{false};
    std::jthread guest{[&] {
      // Fewer than would have the server close the connection.
      for (int i = 0; i < 400 && client.isOpen(); ++i) {
        client.send(R"({"c":"pause"})");
        if (i == 20) isUnderWay = true;
      }
      isUnderWay = true;
    }};
    while (!isUnderWay) std::this_thread::yield();
    server.reset();
  }
}

// A viewer that connects and never reads: its buffers fill after some pictures of 5,000 bodies
// (140 kB each). The simulation must go on at its pace all the same: 60 steps a second on an idle
// machine, with and without; compared with itself, since machines that test are busy.
TEST_F(Server, isNotSlowedByAViewerThatDoesNotRead) {
  start(5000);
  const auto stepsInASecond = [] {
    const std::uint64_t before = FakeSource::stepsMade();
    std::this_thread::sleep_for(1s);
    return FakeSource::stepsMade() - before;
  };
  const std::uint64_t alone = stepsInASecond();
  const SocketClient stalled = viewer();
  std::this_thread::sleep_for(700ms);
  EXPECT_GE(3 * stepsInASecond(), alone);
}

}  // namespace
}  // namespace msd_view::test
