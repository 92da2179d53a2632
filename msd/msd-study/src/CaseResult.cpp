#include "msd-study/src/CaseResult.hpp"

#include <stdexcept>

#include "msd-sim/src/DataTypes/Bytes.hpp"

namespace msd_study {

using msd_sim::ByteReader;
using msd_sim::ByteWriter;

std::vector<std::byte> toBytes(const CaseOrder& order) {
  ByteWriter out;
  out.put(order.index);
  out.putRun(order.values);
  return std::move(out.bytes());
}

std::vector<std::byte> toBytes(const CaseResult& r) {
  ByteWriter out;
  out.put(r.index);
  out.put(r.status);
  out.putRun(std::span<const char>{r.reason});
  out.put(r.steps);
  out.put(r.time);
  out.put(r.hash.low);
  out.put(r.hash.high);
  out.put(r.success);
  out.putRun(r.values);
  out.put(r.stepSeconds);
  out.put(r.totalSeconds);
  return std::move(out.bytes());
}

CaseOrder orderFromBytes(std::span<const std::byte> bytes) {
  ByteReader in{bytes};
  CaseOrder order;
  in.take(order.index);
  in.takeRun(order.values);
  return order;
}

CaseResult resultFromBytes(std::span<const std::byte> bytes) {
  ByteReader in{bytes};
  CaseResult r;
  in.take(r.index);
  const auto status = in.take<std::uint8_t>();
  if (status >= kCaseStatusNames.size()) throw std::invalid_argument{"no status of a case"};
  r.status = static_cast<CaseStatus>(status);
  std::vector<char> reason;
  in.takeRun(reason);
  r.reason.assign(reason.begin(), reason.end());
  in.take(r.steps);
  in.take(r.time);
  in.take(r.hash.low);
  in.take(r.hash.high);
  r.success = in.take<std::uint8_t>() != 0;
  in.takeRun(r.values);
  in.take(r.stepSeconds);
  in.take(r.totalSeconds);
  if (!in.isAtEnd()) throw std::invalid_argument{"more bytes than a result has"};
  return r;
}

}  // namespace msd_study
