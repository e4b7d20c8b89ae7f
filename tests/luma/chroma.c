/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Every colour of YUV in one matrix to the gray of another. */

#include <glib.h>

#include "contract.h"
#include "job.h"

#define SIDE 4096
#define N_COLOURS (SIDE * SIDE)
#define N_RANGES 4

/* SHA-256 of the gray values of all 2^24 colours, Y the fastest; from the
 * first matrix to the second, for full to full range, full to limited, limited
 * to full and limited to limited.  From exact fractions, outside of this
 * project. */
static const char *const hashes[LUMA_N_MATRICES][LUMA_N_MATRICES][N_RANGES] = {
  [LUMA_MATRIX_BT601][LUMA_MATRIX_BT709] = {
        "0ed72b4e8bd407cd37d742e80c925d4896359367e22f401737ccd006eb681c8b",
        "abeddf594597da318422c6b69859d49e7aa9d6524dea9570c513eacdb3ba36de",
        "1ead2b4ca4db2781197c9f15688681b8bed1922d1315c3dc9f40985c1540f926",
      "e26f4d217384bd2756b48f7fa8deb30cb43505836ac0816ae8183ee077e612ca"},
  [LUMA_MATRIX_BT601][LUMA_MATRIX_BT2020] = {
        "de423fefab86e46f21edc1e4b1a06010533359fb717c4203820a059fe62e96e3",
        "9b48a5717e4dcc9d5ce80659295e8c043cf4dc7acd8079fd661986acb0c3c912",
        "f2788052368ca0392e738242617943a54c311e84370dce19cf25b814a0244783",
      "9c7fedfb3a550bfbd6c87b36f1489e5cc64bc389b3046168cee3ac25622d665f"},
  [LUMA_MATRIX_BT601][LUMA_MATRIX_SMPTE240M] = {
        "feba3802904ac783ef32cfa9d35002beebc1f0b63328aab94691ff3f29df54c3",
        "cbb3be360ea2e017d4d928dba18a129031d18d8fbdf1445de649843efcbfbd77",
        "4389f20b09f41b694f8d35e1888c5ca38764ed72c6ce357325b32b7139daf73b",
      "7f2fe4f0075cbd7a3c3c6ad5a5ef4827222a8f9af266f3356369dddb80d0a7b2"},
  [LUMA_MATRIX_BT601][LUMA_MATRIX_FCC] = {
        "a4d3c4c9994d6ecf995a32b0b11b1f9e0181a24c9ea71545340399c4d1064fca",
        "99d481483627b644b1e70b51ac0636966bd6c5e8af68795034e67586b6c96cf2",
        "39c8bb8662be8b6bc8d63e9f3c6d6529097583b45b8fdbdffe432970be4b343b",
      "e892e59f260f9e602824b6adcf5b872831b35d62d3956a278036ae794959a857"},
  [LUMA_MATRIX_BT709][LUMA_MATRIX_BT601] = {
        "7fdb36d7f0bc90b9155f72f5decb489ecaf8128bf48566257c672e4ca7c800eb",
        "db84d0bda642bad9c02264d72f6e0ba07cf40ee8901bf2487334edc82a02ef92",
        "2ecf77314e44ddd8c83a7bdb11f2d2a76bca134b7bc0d147c4aafbfd06e0fa15",
      "2d985713f6472a7c79b716885e3a0e82e2f2501d5aeeb72438ac94fdb093d02b"},
  [LUMA_MATRIX_BT709][LUMA_MATRIX_BT2020] = {
        "9d13c85e86be7776e571a7f8e7e0e012184b743c101626b172d35ca7f35ce7c6",
        "51185e8a7511c521278903fcccf765cf93bc15979c61cdb680774857a51e6450",
        "e6413c06eb6fe010c967e40ef91c266c919ceefc3b30e223e75a48d961db68d0",
      "88e73fdd93778d7c421b30498beda6737c1152d7f8808b12b57c0b4c75d3cbfd"},
  [LUMA_MATRIX_BT709][LUMA_MATRIX_SMPTE240M] = {
        "62487becc1b37494026d4e872c92ca8acda4e5e9f2f47ada301bb46a7209abc3",
        "34d62f2293f6f5506cef6624a848a21bc822a9ab648ed80ef8a47030d0532f4c",
        "dda3f56d8505c5720ab078c047488532b0caf13ac725f007e9522200e1df3cc3",
      "ead2f114cda090843d23013e9738ed4b1deb0e61438475cb490848028513a167"},
  [LUMA_MATRIX_BT709][LUMA_MATRIX_FCC] = {
        "888753c46cda314270d20619b6f65ad9faf1b2adf13ddf9843179f9915c9f336",
        "cc9d706715e0a0fa3f0699b5a4f0de81e1af14b809e3a09a713cd30ef077b048",
        "4491f89dd5d19d00301186b1025a93cac1c8b1c6afdf902b568a3f24bbb84705",
      "f8b3154c9527083301a9272b58c335e63a18edb8920edf203e19f909a9bc0f69"},
  [LUMA_MATRIX_BT2020][LUMA_MATRIX_BT601] = {
        "6b9d058b2f301cd155286c595963cf754c7fd203ba8695aba27bfe834225878f",
        "421e2dd7695b61b60ebf375601aabf241961eed83875a88bc03a659a7a993e9b",
        "a7f904d44cd5504564dd2f1733fc231372d023d33b9d420b435dbeb1fcad310e",
      "55f1f7d3390bf236e8aa9ff468a78f096a89f227e3e3a6cbb7f6020e44b06868"},
  [LUMA_MATRIX_BT2020][LUMA_MATRIX_BT709] = {
        "9f5461a52a31dc3ed28626b145615f64a95ffed1928a6b0eba75bfd6f3e8ff39",
        "77f531bc90252d0a77c7f7112747bc607dc7d13d3bb60bd94ff698e6e611ac20",
        "f2c0d628449ecfd027e18af246228a1f5b6e2c3455b953f73d2a5503117bb9c2",
      "5fd18ad2305b39a0123c2601d7e882c5b140cfc68587702fd07797a80cc814e4"},
  [LUMA_MATRIX_BT2020][LUMA_MATRIX_SMPTE240M] = {
        "88cb7eb06491a6b3c6d2154894626ff2b9bbfa2c388ea3127641490b56d292d3",
        "1b10bbcb8199e16c7608458f0fd7ce15ecba6e35134613662610bc9ca38556a0",
        "e66790945ddeb9857feb60d372fb155f5fe818782abf2a489ef4a8614f572330",
      "b71687b8ba9da48f3833c88a71c4a3ba84168fdd8d131cc2a897cb0ae41491bb"},
  [LUMA_MATRIX_BT2020][LUMA_MATRIX_FCC] = {
        "7032dc9550dcf038a9a98be386bd6b82fc09f647ecda8aa3fffdec5b45d8c049",
        "2c7118a773ca16b92a8ebbf1df94a321168a10d57e0b6780457769d185d6c69c",
        "d71710f324c5019e1a29cbb44c12050d577ecb1bd77a41ae3ad661c4d8f6c667",
      "f3308508461f6cd666400e33713c1d9aaeb0ea0c3fc644ac062ffecf2aadba2e"},
  [LUMA_MATRIX_SMPTE240M][LUMA_MATRIX_BT601] = {
        "b486e16795e0bf8eb116f78437146b6197d4de8ed3493fac1ebdf38342806efe",
        "df2fc9bd84e0250bf193cd58593fb6807b90b92789ea9fd291168f5bd29caee6",
        "a183694a53605c7812b132ccd5a00b2eadb0c46b4d50e9ad57926672c323235a",
      "fcd1cbda3ea28482569c3b36cc48de5edcd3844457da559359df3b031e2cf400"},
  [LUMA_MATRIX_SMPTE240M][LUMA_MATRIX_BT709] = {
        "6c62f71da7e459f68829fe8dc8b7cfc187416dac52974a509caed5d4696ea012",
        "7a2f85f04d881518a45ea7f1f660aa8c85f574b96925bcaf71bb08bcb43d9114",
        "4c18f9e3ba1bccbb3995ac80455032524739319e37c26ba29bfb4e8677e9b22c",
      "441226172b84525f81b9b0e8a6105c7cbae97b99f4124de98573e66030769ad2"},
  [LUMA_MATRIX_SMPTE240M][LUMA_MATRIX_BT2020] = {
        "8fc3c3bd9184e5631de34ed53ab2fe1651f90e7ada7027860b0f6d096f7bc341",
        "eb9d2dc576e043a72fb55ef91fc5aca6d665a4af7eb78f5d3eafbd6e98ff4516",
        "cc4126b46eb7dd35003f67837df81c1824c731d46a7dc2b9af7e7849447ac7f1",
      "e4490d92d8018d5829c82f6e44959f804aa9c9921c0d0ffcdc14e60f0dbbefd7"},
  [LUMA_MATRIX_SMPTE240M][LUMA_MATRIX_FCC] = {
        "c18cdd57ae70119c349c4aed500f429197fc5051739efb1b54f30fd7af5c5d9b",
        "65112788bb77d1e7b717f53bbf5b6d97c2af0a9b92878dcf825d2d0a5079514f",
        "828a134d1735f332e022447fa1c8f318f768f4c08b5018b413b3b908943800e8",
      "fe501981544d6efc6c162e5027c44be2e83aebd2622713f195f83231487029d6"},
  [LUMA_MATRIX_FCC][LUMA_MATRIX_BT601] = {
        "0dae468ff767e88e4a554afa17ba221f7e38de4c7172338b88fa1e13a02a391d",
        "5530c10b561e98938603c8071de98d7873a3ad24954dd261f39eba23cae1a09c",
        "8fd7cb8954d0003de25add72c764fbf494b415e5889a79535353d1b9f4e23f18",
      "cc4e25cbef1a1bbbf9ae022041bb1a11dcf6d8d39ca730a96285263321103525"},
  [LUMA_MATRIX_FCC][LUMA_MATRIX_BT709] = {
        "02c3179524e924060d7fd32b28412695aa0bb3e4d0018f301258de86b14a584a",
        "75e062158f3ba0a3341b618363011757faaeb689ce96a935810d727ece33428c",
        "8bfadd72d7fa2b5a6d73df16528121d7c7b778142e2ddada90e5f06d3b944bb9",
      "8eb34db29d94b6ceaef6869226d43a70de843e50e76e1f2eb7720e59355131dd"},
  [LUMA_MATRIX_FCC][LUMA_MATRIX_BT2020] = {
        "fe6f3c79f826c4598f942fc6e2d3def9c513df506528316b37f0725e5c128d14",
        "0c808803cb4d4a7fc919263e9fcac9d26815ae08b77f75374217e5d57339a650",
        "c00f0d474361055f8ae11d18401b165ba2bd4c3f08e7c74a5eaad689f728fa7f",
      "48b9b938c68debad6ad67f37bc0c398b9ecf6abd2595dc45f3a8ac0f777d7661"},
  [LUMA_MATRIX_FCC][LUMA_MATRIX_SMPTE240M] = {
        "0f5ddc64c81580ff38f74dc0423f43d651fd12d18535604191158f348136210d",
        "c7888b6e390f1169cb585bb2efd6f251522dfac6f6e382d900cf95d02fad74f6",
        "b69d98ac2831d40483665e032cb55e9fdfd736ac0eaa3225b1c89e10eca34d92",
      "8aaf611e08b206c8ad9e8912de028888c2078ce6bf26dcb089d26b137bce41be"},
};

/* Y, U and V in planes of a byte a sample; pixel i is (i & 255, i >> 8 & 255,
 * i >> 16). */
static void
set_colours (const Frame * frame)
{
  for (int c = 0; c < LUMA_COMPONENTS; c++) {
    uint8_t *sample = frame->bytes + frame->start[c];

    for (size_t i = 0; i < N_COLOURS; i++)
      sample[i] = (uint8_t) (i >> 8 * c);
  }
}

static void
check (const Variant * variant, unsigned from, unsigned to, unsigned ranges,
    const Frame * in, Frame * got)
{
  const LumaComponent yuv[LUMA_COMPONENTS] = {
    {.plane = 0,.step = 1,.depth = 8}, {.plane = 1,.step = 1,.depth = 8},
    {.plane = 2,.step = 1,.depth = 8}
  };
  LumaPlan plan;
  char *hash;

  g_assert_true (luma_plan_init_yuv (&plan, SIDE, SIDE, yuv, from, to,
          ranges / 2, ranges % 2, 8, false));
  variant_convert (variant, &plan, in, got);
  job_count++;
  hash = g_compute_checksum_for_data (G_CHECKSUM_SHA256, got->bytes, got->size);
  if (!g_str_equal (hash, hashes[from][to][ranges]))
    g_error ("%s: matrix %u to %u, ranges %u: SHA-256 is %s", variant->name,
        from, to, ranges, hash);
  g_free (hash);
}

/* The specification takes its time. */
static bool
is_slow (const Variant * variant)
{
  return variant->rows != NULL && variant->rows->row[0] == luma_row_exact;
}

/* Of each pair of matrices, or of some, one pair of ranges, in turn; or all. */
static void
check_pairs (const Variant * variant, bool all)
{
  unsigned pair = 0, every = is_slow (variant) ? 7 : 1;
  Frame in, got;

  frame_init (&in, LUMA_COMPONENTS, SIDE, SIDE, (Place) {
      0});
  frame_init (&got, 1, SIDE, SIDE, (Place) {
      0});
  set_colours (&in);
  for (unsigned i = 0; i < LUMA_N_MATRICES * LUMA_N_MATRICES; i++) {
    unsigned from = i / LUMA_N_MATRICES, to = i % LUMA_N_MATRICES;

    for (unsigned ranges = 0; from != to && ranges < N_RANGES; ranges++) {
      if (all || (ranges == pair % N_RANGES && pair % every == 0))
        check (variant, from, to, ranges, &in, &got);
    }
    pair += from != to;
  }
  frame_clear (&in);
  frame_clear (&got);
}

void
test_chroma (const Variant * variant)
{
  check_pairs (variant, false);
}

void
test_chroma_all (const Variant * variant)
{
  check_pairs (variant, true);
}
