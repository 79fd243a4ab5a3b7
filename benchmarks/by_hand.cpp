// Five games written by hand in C++: how fast uniformly random playouts can go on one core.
// In: GAME SECONDS SEED. Out: one line with plies, playouts, and seconds of the processor's time.
// Every ply works out all legal moves and draws one of them, as an engine for any game has to.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
typedef uint64_t u64;
static u64 seed = 0;
static inline u64 rnd() {  // splitmix64
  u64 z = (seed += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}
static inline int below(int n) { return (int)(((rnd() >> 32) * (u64)n) >> 32); }
static inline int pop(u64 b) { return __builtin_popcountll(b); }
static inline u64 kth(u64 b, int k) {  // k-th set bit as a mask
#if defined(__BMI2__) && !defined(NO_PDEP)  // on some processors the loop is faster
  return __builtin_ia32_pdep_di(1ull << k, b);
#else
  while (k--) b &= b - 1;
  return b & -b;
#endif
}

// Every game: int moves() -> number of legal moves (0 = game over); play(i) plays the i-th.
struct TicTacToe {
  unsigned me = 0, op = 0; bool over = false; unsigned free_ = 0x1FF;
  static bool win(unsigned b) {
    static const unsigned L[8] = {7, 56, 448, 73, 146, 292, 273, 84};
    for (unsigned l : L) if ((b & l) == l) return true;
    return false;
  }
  int moves() { return over ? 0 : pop(free_); }
  void play(int i) {
    unsigned m = (unsigned)kth(free_, i);
    me |= m; free_ &= ~m; over = win(me);
    unsigned t = me; me = op; op = t;
  }
};
struct ConnectFour {  // 7 columns of 7 bits, bit 6 of each is a sentinel
  u64 me = 0, occ = 0; bool over = false; u64 mv = 0;
  static constexpr u64 bottom() { u64 b = 0; for (int c = 0; c < 7; c++) b |= 1ull << (7 * c); return b; }
  static bool win(u64 b) {
    for (int s : {1, 7, 6, 8}) { u64 t = b & (b >> s); if (t & (t >> (2 * s))) return true; }
    return false;
  }
  int moves() { if (over) return 0; mv = (occ + bottom()) & (bottom() * 63); return pop(mv); }
  void play(int i) {
    u64 m = kth(mv, i);
    u64 mine = me | m; occ |= m; over = win(mine);
    me = occ ^ mine;  // opponent to move
  }
};
struct Breakthrough {  // side to move always goes "up"; board is flipped after every ply
  u64 me = 0xFFFFull, op = 0xFFFFull << 48; bool over = false; u64 a = 0, b = 0, c = 0;
  static constexpr u64 A = 0x0101010101010101ull, H = 0x8080808080808080ull;
  int moves() {
    if (over) return 0;
    u64 free_ = ~(me | op);
    a = (me << 8) & free_; b = ((me & ~A) << 7) & ~me; c = ((me & ~H) << 9) & ~me;
    return pop(a) + pop(b) + pop(c);
  }
  void play(int i) {
    u64 to; int sh; int na = pop(a), nb = pop(b);
    if (i < na) { to = kth(a, i); sh = 8; } else if (i < na + nb) { to = kth(b, i - na); sh = 7; }
    else { to = kth(c, i - na - nb); sh = 9; }
    me ^= to | (to >> sh); op &= ~to;
    over = (to >> 56) != 0 || !op;
    u64 t = __builtin_bswap64(me); me = __builtin_bswap64(op); op = t;  // flip ranks
  }
};
struct Othello {
  u64 me = (1ull << 28) | (1ull << 35), op = (1ull << 27) | (1ull << 36), mv = 0;
  template <int S> static u64 sh(u64 x) { return S > 0 ? x << (S & 63) : x >> ((-S) & 63); }
  template <int S> static u64 dir(u64 p, u64 o, u64 mask) {
    u64 m = o & mask, f = m & sh<S>(p);
    f |= m & sh<S>(f); f |= m & sh<S>(f); f |= m & sh<S>(f); f |= m & sh<S>(f); f |= m & sh<S>(f);
    return sh<S>(f);
  }
  static constexpr u64 X = 0x7E7E7E7E7E7E7E7Eull, F = ~0ull;
  static u64 gen(u64 p, u64 o) {
    return (dir<1>(p, o, X) | dir<-1>(p, o, X) | dir<8>(p, o, F) | dir<-8>(p, o, F) |
            dir<7>(p, o, X) | dir<-7>(p, o, X) | dir<9>(p, o, X) | dir<-9>(p, o, X)) & ~(p | o);
  }
  template <int S> static u64 flip(u64 m, u64 p, u64 o, u64 mask) {
    u64 f = sh<S>(m) & o & mask;
    for (int k = 0; k < 5; k++) f |= sh<S>(f) & o & mask;
    return (sh<S>(f) & p) ? f : 0;
  }
  int moves() {  // 1 = a pass, when only the opponent can move
    mv = gen(me, op);
    if (mv) return pop(mv);
    return gen(op, me) ? 1 : 0;
  }
  void play(int i) {
    if (mv) {
      u64 m = kth(mv, i);
      u64 f = flip<1>(m, me, op, X) | flip<-1>(m, me, op, X) | flip<8>(m, me, op, F) | flip<-8>(m, me, op, F) |
              flip<7>(m, me, op, X) | flip<-7>(m, me, op, X) | flip<9>(m, me, op, X) | flip<-9>(m, me, op, X);
      me |= m | f; op ^= f;
    }
    u64 t = me; me = op; op = t;
  }
};
struct Hex11 {  // no swap rule; union-find, 4 virtual edge nodes; player 0 joins top-bottom
  static const int N = 11, C = N * N;
  uint8_t cell[C], list[C], up[C + 4]; int n = C, pl = 0; bool over = false;
  Hex11() { memset(cell, 0, C); for (int i = 0; i < C; i++) list[i] = i; for (int i = 0; i < C + 4; i++) up[i] = i; }
  int find(int x) { while (up[x] != x) x = up[x] = up[up[x]]; return x; }
  int moves() { return over ? 0 : n; }
  void play(int i) {
    int x = list[i]; list[i] = list[--n];
    int r = x / N, c = x % N, me = pl + 1; cell[x] = me;
    static const int D[6][2] = {{-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}};
    for (auto &d : D) {
      int rr = r + d[0], cc = c + d[1];
      if (rr < 0 || rr >= N || cc < 0 || cc >= N) continue;
      int y = rr * N + cc; if (cell[y] == me) up[find(x)] = find(y);
    }
    int k = pl == 0 ? r : c;
    if (k == 0) up[find(x)] = find(C + 2 * pl);
    if (k == N - 1) up[find(x)] = find(C + 2 * pl + 1);
    over = find(C + 2 * pl) == find(C + 2 * pl + 1);
    pl ^= 1;
  }
};
template <class G> int run(double seconds) {
  using clk = std::chrono::steady_clock;  // ends the run; std::clock, which costs more to ask, measures it
  auto begin = clk::now();
  std::clock_t from = std::clock();
  u64 playouts = 0, plies = 0;
  do {
    for (int k = 0; k < 64; k++) { G g; int m; while ((m = g.moves())) { g.play(below(m)); plies++; } playouts++; }
  } while (std::chrono::duration<double>(clk::now() - begin).count() < seconds);
  double spent = double(std::clock() - from) / CLOCKS_PER_SEC;
  printf("%llu %llu %.6f\n", (unsigned long long)plies, (unsigned long long)playouts, spent);
  return 0;
}
int main(int count, char **words) {
  if (count != 4) return 2;
  std::string game = words[1];
  double seconds = atof(words[2]);
  seed = strtoull(words[3], nullptr, 10);
  if (game == "tic_tac_toe") return run<TicTacToe>(seconds);
  if (game == "connect_four") return run<ConnectFour>(seconds);
  if (game == "breakthrough") return run<Breakthrough>(seconds);
  if (game == "othello") return run<Othello>(seconds);
  if (game == "hex") return run<Hex11>(seconds);
  return 2;
}
