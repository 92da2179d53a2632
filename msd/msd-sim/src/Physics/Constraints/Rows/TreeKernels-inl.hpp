// Bodies of TreeKernels; compiled once per vector width. A vector holds one body's velocity, not
// one number of eight bodies: a walk goes from body to body.
#include "msd-sim/src/DataTypes/Lanes-inl.hpp"
#include "msd-sim/src/Physics/Constraints/Rows/TreeRows.hpp"

#include <cmath>

MSD_KERNELS_BEGIN
namespace tree_kernels {

inline constexpr int kParts = 8 / kLanes;
// Keeps quotients finite where a divisor may be zero.
inline constexpr double kTiny = 1e-300;
// Added to a compliance that is inverted, against that of the other side: what holds fast gives way
// by as little.
inline constexpr double kProximal = 1e-12;
// The same of what may hold fast in one direction and give way in others, against its trace. One
// correction of what is found with it squares the error that this makes elsewhere.
inline constexpr double kHeldFast = 1e-8;

/// A velocity or an answer: eight numbers.
struct Six {
  Lane p[kParts];
};
MSD_INLINE Six load6(const double* a) {
  Six r;
  for (int i = 0; i < kParts; ++i) r.p[i] = load(a + i * kLanes);
  return r;
}
MSD_INLINE void store6(const Six& a, double* to) {
  for (int i = 0; i < kParts; ++i) store(a.p[i], to + i * kLanes);
}
MSD_INLINE Six operator+(const Six& a, const Six& b) {
  Six r;
  for (int i = 0; i < kParts; ++i) r.p[i] = a.p[i] + b.p[i];
  return r;
}
MSD_INLINE Six operator-(const Six& a, const Six& b) {
  Six r;
  for (int i = 0; i < kParts; ++i) r.p[i] = a.p[i] - b.p[i];
  return r;
}
MSD_INLINE Six times(double s, const Six& a) {
  const Lane f = set(s);
  Six r;
  for (int i = 0; i < kParts; ++i) r.p[i] = f * a.p[i];
  return r;
}
/// c + s a
MSD_INLINE Six add(double s, const Six& a, const Six& c) {
  const Lane f = set(s);
  Six r;
  for (int i = 0; i < kParts; ++i) r.p[i] = fma(f, a.p[i], c.p[i]);
  return r;
}
/// c - s a
MSD_INLINE Six subtract(double s, const Six& a, const Six& c) {
  const Lane f = set(s);
  Six r;
  for (int i = 0; i < kParts; ++i) r.p[i] = nfma(f, a.p[i], c.p[i]);
  return r;
}

#if defined(MSD_LANES_PORTABLE)
struct Quad {
  double v[4];
};
MSD_INLINE Quad load4(const double* a) {
  return {{a[0], a[1], a[2], a[3]}};
}
MSD_INLINE void store4(const Quad& a, double* to) {
  for (int i = 0; i < 4; ++i) to[i] = a.v[i];
}
MSD_INLINE Quad times(double s, const Quad& a) {
  return {{s * a.v[0], s * a.v[1], s * a.v[2], s * a.v[3]}};
}
MSD_INLINE Quad add(double s, const Quad& a, const Quad& c) {
  Quad r;
  for (int i = 0; i < 4; ++i) r.v[i] = std::fma(s, a.v[i], c.v[i]);
  return r;
}
MSD_INLINE Quad operator+(const Quad& a, const Quad& b) {
  return {{a.v[0] + b.v[0], a.v[1] + b.v[1], a.v[2] + b.v[2], a.v[3] + b.v[3]}};
}
#else
using QuadTag = hn::FixedTag<double, 4>;
struct Quad {
  hn::Vec<QuadTag> v;
};
MSD_INLINE Quad load4(const double* a) {
  return {hn::Load(QuadTag(), a)};
}
MSD_INLINE void store4(const Quad& a, double* to) {
  hn::Store(a.v, QuadTag(), to);
}
MSD_INLINE Quad times(double s, const Quad& a) {
  return {hn::Mul(hn::Set(QuadTag(), s), a.v)};
}
MSD_INLINE Quad add(double s, const Quad& a, const Quad& c) {
  return {hn::MulAdd(hn::Set(QuadTag(), s), a.v, c.v)};
}
MSD_INLINE Quad operator+(const Quad& a, const Quad& b) {
  return {hn::Add(a.v, b.v)};
}
#endif

/// Symmetric 3 x 3 matrices as xx yy zz xy xz yz. Plain numbers: compilers may not fuse what stands
/// apart.
struct Sym {
  double xx, yy, zz, xy, xz, yz;
};
MSD_INLINE Sym symOf(const double* a) {
  return {a[0], a[1], a[2], a[3], a[4], a[5]};
}
MSD_INLINE void storeSym(const Sym& a, double* to) {
  to[0] = a.xx, to[1] = a.yy, to[2] = a.zz, to[3] = a.xy, to[4] = a.xz, to[5] = a.yz;
}
MSD_INLINE Sym operator+(const Sym& a, const Sym& b) {
  return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}
MSD_INLINE Sym operator-(const Sym& a, const Sym& b) {
  return {a.xx - b.xx, a.yy - b.yy, a.zz - b.zz, a.xy - b.xy, a.xz - b.xz, a.yz - b.yz};
}
/// With `more` of each entry of another's diagonal added to its own.
MSD_INLINE Sym lifted(const Sym& a, double more, const Sym& by) {
  return {a.xx + more * by.xx, a.yy + more * by.yy, a.zz + more * by.zz, a.xy, a.xz, a.yz};
}
/// With `more` of the trace added to the diagonal.
MSD_INLINE Sym raised(const Sym& a, double more) {
  const double lift = more * (a.xx + (a.yy + a.zz));
  return {a.xx + lift, a.yy + lift, a.zz + lift, a.xy, a.xz, a.yz};
}
MSD_INLINE Sym inverseOf(const Sym& a) {
  const double xx = a.yy * a.zz - a.yz * a.yz, xy = a.xz * a.yz - a.xy * a.zz,
               xz = a.xy * a.yz - a.xz * a.yy;
  const double yy = a.xx * a.zz - a.xz * a.xz, yz = a.xy * a.xz - a.xx * a.yz,
               zz = a.xx * a.yy - a.xy * a.xy;
  const double determinant = a.xx * xx + (a.xy * xy + a.xz * xz);
  const double s = 1.0 / (determinant > kTiny ? determinant : kTiny);
  return {s * xx, s * yy, s * zz, s * xy, s * xz, s * yz};
}

/// Columns of N Jᵀ for a joint at arm r: an impulse there pushes with its torque.
MSD_INLINE void answerAt(const double (&n)[6][8], const double* r, Six (&u)[3]) {
  const Six x = load6(n[3]), y = load6(n[4]), z = load6(n[5]);
  u[0] = add(r[2], y, subtract(r[1], z, load6(n[0])));
  u[1] = add(r[0], z, subtract(r[2], x, load6(n[1])));
  u[2] = add(r[1], x, subtract(r[0], y, load6(n[2])));
}
/// J U for columns U: the compliance at the joint.
MSD_INLINE Sym complianceAt(const double (&u)[3][8], const double* r) {
  return {u[0][0] + (r[2] * u[0][4] - r[1] * u[0][5]), u[1][1] + (r[0] * u[1][5] - r[2] * u[1][3]),
          u[2][2] + (r[1] * u[2][3] - r[0] * u[2][4]), u[1][0] + (r[2] * u[1][4] - r[1] * u[1][5]),
          u[2][0] + (r[2] * u[2][4] - r[1] * u[2][5]), u[2][1] + (r[0] * u[2][5] - r[2] * u[2][3])};
}
/// U S
MSD_INLINE void timesSym(const Six (&u)[3], const Sym& s, Six (&y)[3]) {
  y[0] = add(s.xz, u[2], add(s.xy, u[1], times(s.xx, u[0])));
  y[1] = add(s.yz, u[2], add(s.yy, u[1], times(s.xy, u[0])));
  y[2] = add(s.zz, u[2], add(s.yz, u[1], times(s.xz, u[0])));
}
/// N - Y Uᵀ
MSD_INLINE void takeOff(double (&n)[6][8], const Six (&y)[3], const double (&u)[3][8]) {
  for (int c = 0; c < 6; ++c) {
    store6(subtract(u[2][c], y[2], subtract(u[1][c], y[1], subtract(u[0][c], y[0], load6(n[c])))),
           n[c]);
  }
}
/// Velocity at arm r of a body.
MSD_INLINE void velocityAt(const double* v, const double* r, double (&u)[3]) {
  u[0] = v[0] + (v[4] * r[2] - v[5] * r[1]);
  u[1] = v[1] + (v[5] * r[0] - v[3] * r[2]);
  u[2] = v[2] + (v[3] * r[1] - v[4] * r[0]);
}
MSD_INLINE void storeColumns(const Six (&u)[3], double (&to)[3][8]) {
  for (int k = 0; k < 3; ++k) store6(u[k], to[k]);
}
MSD_INLINE void loadColumns(const double (&from)[3][8], Six (&u)[3]) {
  for (int k = 0; k < 3; ++k) u[k] = load6(from[k]);
}

/// Columns of R J: what a velocity of the other body of a joint, at arm r, makes of this one.
MSD_INLINE void storePassage(const Six (&a)[3], const double* r, double (&to)[6][8]) {
  storeColumns(a, reinterpret_cast<double(&)[3][8]>(to));
  store6(subtract(r[2], a[1], times(r[1], a[2])), to[3]);
  store6(subtract(r[0], a[2], times(r[2], a[0])), to[4]);
  store6(subtract(r[1], a[0], times(r[0], a[1])), to[5]);
}

/// P d
MSD_INLINE Six passed(const double (&p)[6][8], const double* d) {
  const Six linear = add(d[2], load6(p[2]), add(d[1], load6(p[1]), times(d[0], load6(p[0]))));
  const Six angular = add(d[5], load6(p[5]), add(d[4], load6(p[4]), times(d[3], load6(p[3]))));
  return linear + angular;
}

void place(const SolverBodies& b, std::span<TreeNode> nodes) {
  for (TreeNode& n : nodes) {
    const BodyMotion& m = b.motion[n.slot];
    for (auto& column : n.inverse) {
      for (double& x : column) x = 0.0;
    }
    n.inverse[0][0] = n.inverse[1][1] = n.inverse[2][2] = m.inverseMass;
    n.inverse[3][3] = m.inverseXX, n.inverse[4][4] = m.inverseYY, n.inverse[5][5] = m.inverseZZ;
    n.inverse[3][4] = n.inverse[4][3] = m.inverseXY;
    n.inverse[3][5] = n.inverse[5][3] = m.inverseXZ;
    n.inverse[4][5] = n.inverse[5][4] = m.inverseYZ;
  }
  for (std::size_t i = nodes.size(); i-- > 0;) {
    TreeNode& n = nodes[i];
    if (n.parent < 0 && !n.held) continue;
    Six u[3];
    answerAt(n.inverse, n.arm, u);
    storeColumns(u, n.push);
    const Sym own = complianceAt(n.push, n.arm);
    storeSym(own, n.own);
    storeSym(inverseOf(lifted(own, kProximal, own)), n.ownInverse);
    if (n.parent < 0) continue;
    TreeNode& p = nodes[static_cast<std::size_t>(n.parent)];
    Six w[3], y[3];
    answerAt(p.inverse, n.parentArm, w);
    storeColumns(w, n.pull);
    const Sym both = own + complianceAt(n.pull, n.parentArm);
    const Sym inverse = inverseOf(lifted(both, kProximal, both));
    storeSym(inverse, n.bothInverse);
    timesSym(w, inverse, y);
    takeOff(p.inverse, y, n.pull);
  }
}

/// S a
MSD_INLINE void apply(const double (&s)[6], const double (&a)[3], double (&to)[3]) {
  to[0] = s[0] * a[0] + (s[3] * a[1] + s[4] * a[2]);
  to[1] = s[3] * a[0] + (s[1] * a[1] + s[5] * a[2]);
  to[2] = s[4] * a[0] + (s[5] * a[1] + s[2] * a[2]);
}

void solve(std::span<TreeNode> nodes) {
  for (TreeNode& n : nodes) {
    for (double& x : n.change) x = 0.0;
  }
  for (std::size_t i = nodes.size(); i-- > 1;) {
    TreeNode& n = nodes[i];
    if (n.parent < 0) continue;
    TreeNode& p = nodes[static_cast<std::size_t>(n.parent)];
    double u[3], w[3], impulse[3];
    velocityAt(n.change, n.arm, u);
    velocityAt(p.change, n.parentArm, w);
    double left[3];
    for (int c = 0; c < 3; ++c) {
      n.error[c] = n.error[c] + u[c];
      left[c] = n.error[c] - w[c];
    }
    apply(n.bothInverse, left, impulse);
    // The parent feels the opposite of what the body does, which is the opposite of the error.
    Six v = load6(p.change);
    for (int k = 0; k < 3; ++k) v = add(impulse[k], load6(n.pull[k]), v);
    store6(v, p.change);
  }
  for (TreeNode& n : nodes) {
    double w[3] = {};
    if (n.parent >= 0) {
      velocityAt(nodes[static_cast<std::size_t>(n.parent)].change, n.parentArm, w);
    } else {
      for (double& x : n.impulse) x = 0.0;
      if (!n.held) continue;
      double u[3];
      velocityAt(n.change, n.arm, u);
      for (int c = 0; c < 3; ++c) n.error[c] = n.error[c] + u[c];
    }
    double wanted[3];
    for (int c = 0; c < 3; ++c) wanted[c] = w[c] - n.error[c];
    apply(n.ownInverse, wanted, n.impulse);
    Six v = load6(n.change);
    for (int k = 0; k < 3; ++k) v = add(n.impulse[k], load6(n.push[k]), v);
    store6(v, n.change);
  }
}

void respond(std::span<TreeNode> nodes) {
  for (TreeNode& n : nodes) {
    if (n.parent < 0 && !n.held) continue;
    const Sym own = symOf(n.own);
    Six u[3], r[3], y[3];
    loadColumns(n.push, u);
    timesSym(u, symOf(n.ownInverse), r);  // answer to a velocity of the joint
    alignas(64) double columns[3][8];
    storeColumns(r, columns);
    if (n.parent < 0) {
      timesSym(r, own, y);
      takeOff(n.inverse, y, columns);
      continue;
    }
    const TreeNode& p = nodes[static_cast<std::size_t>(n.parent)];
    Six w[3];
    answerAt(p.inverse, n.parentArm, w);
    alignas(64) double held[3][8];
    storeColumns(w, held);
    const Sym together = complianceAt(held, n.parentArm);
    storePassage(r, n.parentArm, n.down);
    Six back[3];
    const Sym inverse = inverseOf(lifted(raised(together, kHeldFast), kProximal, own));
    timesSym(w, inverse, back);
    Six left[3], more[3];
    timesSym(back, together, left);
    for (int k = 0; k < 3; ++k) left[k] = w[k] - left[k];
    timesSym(left, inverse, more);
    for (int k = 0; k < 3; ++k) back[k] = back[k] + more[k];
    storePassage(back, n.arm, n.up);
    timesSym(r, own - together, y);
    takeOff(n.inverse, y, columns);
  }
}

/// Rows times a velocity.
MSD_INLINE Quad alongRows(const double (&rows)[6][4], const double* v) {
  const Quad linear =
      add(v[2], load4(rows[2]), add(v[1], load4(rows[1]), times(v[0], load4(rows[0]))));
  const Quad angular =
      add(v[5], load4(rows[5]), add(v[4], load4(rows[4]), times(v[3], load4(rows[3]))));
  return linear + angular;
}

/// What a unit impulse makes of the velocity of a side, which is of a tree or alone.
MSD_INLINE void answerSide(const SolverBodies& b, std::span<const TreeNode> nodes, TreePoint& p,
                           int s) {
  if (p.node[s] >= 0) {
    const TreeNode& n = nodes[static_cast<std::size_t>(p.node[s])];
    for (int r = 0; r < 3; ++r) {
      Six a = times(p.rows[s][0][r], load6(n.inverse[0]));
      for (int c = 1; c < 6; ++c) a = add(p.rows[s][c][r], load6(n.inverse[c]), a);
      store6(times(p.weight[s], a), p.answer[s][r]);
    }
    return;
  }
  const BodyMotion& m = b.motion[p.slot[s]];
  for (int r = 0; r < 3; ++r) {
    double* const a = p.answer[s][r];
    const double x = p.rows[s][3][r], y = p.rows[s][4][r], z = p.rows[s][5][r];
    for (int c = 0; c < 3; ++c) a[c] = m.inverseMass * p.rows[s][c][r];
    a[3] = m.inverseXX * x + (m.inverseXY * y + m.inverseXZ * z);
    a[4] = m.inverseXY * x + (m.inverseYY * y + m.inverseYZ * z);
    a[5] = m.inverseXZ * x + (m.inverseYZ * y + m.inverseZZ * z);
    for (int c = 0; c < 6; ++c) a[c] = p.weight[s] * a[c];
    a[6] = a[7] = 0.0;
  }
}

/// Adds what a push at side 1 of a point does at side 0 of the same tree, and the other way round:
/// along the way that the walk takes from the one to the other.
MSD_INLINE void addWay(std::span<const TreeNode> nodes, TreePoint& p, std::span<const WalkOp> way) {
  alignas(64) double at[3][8];
  for (int r = 0; r < 3; ++r) store6(load6(p.answer[1][r]), at[r]);
  for (const WalkOp op : way) {
    const TreeNode& n = nodes[op.index];
    for (auto& a : at) store6(passed(op.kind == WalkOp::Kind::kUp ? n.up : n.down, a), a);
  }
  alignas(64) double cross[3][4];
  for (int r = 0; r < 3; ++r) store4(alongRows(p.rows[0], at[r]), cross[r]);
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c)
      p.compliance[r][c] = p.compliance[r][c] + (cross[r][c] + cross[c][r]);
  }
}

void answer(const SolverBodies& b, std::span<const TreeNode> nodes, std::span<TreePoint> points,
            std::span<const WalkOp> ops) {
  for (TreePoint& p : points) {
    answerSide(b, nodes, p, 0);
    for (int r = 0; r < 3; ++r) store4(alongRows(p.rows[0], p.answer[0][r]), p.compliance[r]);
    if (p.velocity[1] == nullptr) continue;
    answerSide(b, nodes, p, 1);
    for (int r = 0; r < 3; ++r) {
      store4(load4(p.compliance[r]) + alongRows(p.rows[1], p.answer[1][r]), p.compliance[r]);
    }
  }
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].kind != WalkOp::Kind::kMeet) continue;
    std::size_t last = i + 1;
    while (ops[last].kind != WalkOp::Kind::kAnswer) ++last;
    addWay(nodes, points[ops[i].index], ops.subspan(i + 1, last - i - 1));
  }
  for (TreePoint& p : points) {
    const double normal = p.compliance[0][0];
    p.mass = normal > 0.0 ? 1.0 / normal : 0.0;
    const double k11 = p.compliance[1][1], k22 = p.compliance[2][2], k12 = p.compliance[1][2];
    const double determinant = k11 * k22 - k12 * k12;
    const double s = determinant > kProximal * (k11 * k22) ? 1.0 / determinant : 0.0;
    p.stick[0] = s * k22, p.stick[1] = -s * k12, p.stick[2] = s * k11;
    p.slide = k11 > k22 ? k11 : k22;
    const double half = 0.5 * (k11 - k22), mean = 0.5 * (k11 + k22);
    const double largest = mean + std::sqrt(half * half + k12 * k12);
    p.slipMass = largest > 0.0 ? 1.0 / largest : 0.0;
  }
}

void begin(std::span<TreeNode> nodes) {
  for (TreeNode& n : nodes) {
    const Six own = load6(n.velocity);
    store6(own, n.felt[1]);
    store6(own, n.change);
    if (n.parent >= 0) store6(load6(nodes[static_cast<std::size_t>(n.parent)].velocity), n.felt[0]);
  }
}

/// What a body's velocity has changed by since its joint felt it is passed on to the other body of
/// the joint.
MSD_INLINE void passOn(const double* from, double (&feltFrom)[8], const double (&passage)[6][8],
                       double* to, double (&feltTo)[8]) {
  const Six velocity = load6(from);
  alignas(64) double d[8];
  store6(velocity - load6(feltFrom), d);
  const Six now = load6(to) + passed(passage, d);
  store6(now, to);
  store6(now, feltTo);
  store6(velocity, feltFrom);
}
MSD_INLINE void goDown(TreeNode& n, const TreeNode& p) {
  passOn(p.velocity, n.felt[0], n.down, n.velocity, n.felt[1]);
}
MSD_INLINE void goUp(TreeNode& n, const TreeNode& p) {
  passOn(n.velocity, n.felt[1], n.up, p.velocity, n.felt[0]);
}

/// The impulses of a point by its velocity u (rows.md, F-2 to F-4); returns how far it had not
/// settled. `d` is what they change by.
MSD_INLINE double change(TreePoint& p, const double* u, double slip, double (&d)[3]) {
  const double before = p.impulse[0];
  const double target = before > 0.0 ? p.loadedTarget : p.target;
  const double wanted = (target - u[0]) * p.mass;
  d[0] = wanted > -before ? wanted : -before;
  const double u1 = u[1] + p.compliance[0][1] * d[0], u2 = u[2] + p.compliance[0][2] * d[0];
  const double p1 = p.impulse[1], p2 = p.impulse[2];
  const double limit = p.friction * (before + d[0]);
  double now1 = p1 - (p.stick[0] * u1 + p.stick[1] * u2),
         now2 = p2 - (p.stick[1] * u1 + p.stick[2] * u2);
  if (now1 * now1 + now2 * now2 > limit * limit) {
    const double slip1 = p1 - p.slipMass * u1, slip2 = p2 - p.slipMass * u2;
    const double square = slip1 * slip1 + slip2 * slip2;
    const double shrink = square > limit * limit ? limit / std::sqrt(square) : 1.0;
    now1 = shrink * slip1;
    now2 = shrink * slip2;
  }
  d[1] = now1 - p1;
  d[2] = now2 - p2;
  p.impulse[0] = before + d[0];
  p.impulse[1] = now1;
  p.impulse[2] = now2;
  const double along = std::fabs(d[0]) * p.compliance[0][0];
  const double a1 = std::fabs(d[1]), a2 = std::fabs(d[2]);
  const double across = slip * ((a1 > a2 ? a1 : a2) * p.slide);
  p.localResidual = (along > across ? along : across) * p.perSettled;
  return p.localResidual;
}
MSD_INLINE void feel(TreePoint& p, int s, const double (&d)[3]) {
  Six v = load6(p.velocity[s]);
  for (int r = 0; r < 3; ++r) v = add(d[r], load6(p.answer[s][r]), v);
  store6(v, p.velocity[s]);
}
MSD_INLINE bool isNothing(const double (&d)[3]) {
  return d[0] == 0.0 && d[1] == 0.0 && d[2] == 0.0;
}

WalkOutcome walk(std::span<TreeNode> nodes, std::span<TreePoint> points,
                 std::span<const WalkOp> ops, double limit, double slip) {
  WalkOutcome outcome;
  const auto note = [&](double localResidual) MSD_LAMBDA {
    if (localResidual > outcome.localResidual) outcome.localResidual = localResidual;
    outcome.unsettled += localResidual > limit ? 1u : 0u;
  };
  for (const WalkOp op : ops) {
    switch (op.kind) {
      case WalkOp::Kind::kDown: {
        TreeNode& n = nodes[op.index];
        goDown(n, nodes[static_cast<std::size_t>(n.parent)]);
        break;
      }
      case WalkOp::Kind::kUp: {
        TreeNode& n = nodes[op.index];
        goUp(n, nodes[static_cast<std::size_t>(n.parent)]);
        break;
      }
      case WalkOp::Kind::kVisit: {
        TreePoint& p = points[op.index];
        if (!(p.mass > 0.0)) break;
        alignas(64) double u[4];
        Quad sum = alongRows(p.rows[0], p.velocity[0]);
        if (p.velocity[1] != nullptr) sum = sum + alongRows(p.rows[1], p.velocity[1]);
        store4(sum, u);
        double d[3];
        note(change(p, u, slip, d));
        if (isNothing(d)) break;
        feel(p, 0, d);
        if (p.velocity[1] != nullptr) feel(p, 1, d);
        break;
      }
      case WalkOp::Kind::kHear: {
        TreePoint& p = points[op.index];
        store4(alongRows(p.rows[0], p.velocity[0]), p.heard);
        break;
      }
      case WalkOp::Kind::kMeet: {
        TreePoint& p = points[op.index];
        for (double& x : p.given) x = 0.0;
        if (!(p.mass > 0.0)) break;
        alignas(64) double u[4];
        store4(load4(p.heard) + alongRows(p.rows[1], p.velocity[1]), u);
        note(change(p, u, slip, p.given));
        if (!isNothing(p.given)) feel(p, 1, p.given);
        break;
      }
      case WalkOp::Kind::kAnswer: {
        TreePoint& p = points[op.index];
        if (!isNothing(p.given)) feel(p, 0, p.given);
        break;
      }
    }
  }
  return outcome;
}

void end(std::span<TreeNode> nodes) {
  for (std::size_t i = nodes.size(); i-- > 0;) {
    TreeNode& n = nodes[i];
    if (n.parent < 0) continue;
    // Where the walk is not, the body has yet to hear of what its parent felt.
    TreeNode& p = nodes[static_cast<std::size_t>(n.parent)];
    const Six from = load6(n.velocity);
    alignas(64) double d[8];
    store6(from - load6(n.felt[1]), d);
    const Six more = passed(n.up, d);
    store6(load6(p.velocity) + more, p.velocity);
    store6(load6(n.felt[0]) + more, n.felt[0]);
  }
  for (TreeNode& n : nodes) {
    if (n.parent >= 0) goDown(n, nodes[static_cast<std::size_t>(n.parent)]);
  }
}

}  // namespace tree_kernels
MSD_KERNELS_END
