/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* decode [CODEC]: gray from the GPU's decoders, beside what one does without cudagray,
 * and beside a software decoder.  The clip is encoded here, and repeated.  CPU
 * time is the whole process's, for a frame. */

#include <glib/gstdio.h>
#include <gst/gst.h>
#include <stdio.h>

#include "bench.h"
#include "gstcudagray.h"

/* Frames that are encoded. */
#define ENCODED 12

#define CUDA "video/x-raw(memory:CUDAMemory)"
#define GRAY " ! video/x-raw,format=GRAY8"
#define DOWNLOADED " ! " CUDA " ! cudadownload ! videoconvert n-threads="

typedef struct
{
  const gchar *name, *encoder, *settings, *parser, *hardware, *software[2];
  guint timed;                  /* frames */
} Codec;

static const Codec codecs[] = {
  {"H.264", "openh264enc", "rate-control=bitrate bitrate=", "h264parse",
      "nvh264dec", {"avdec_h264", "openh264dec"}, 120},
  {"JPEG", "jpegenc", NULL, "jpegparse", "nvjpegdec", {"jpegdec"}, 40},
};

/* Behind the decoder. */
static const struct
{
  const gchar *name, *elements;
  gboolean software;
} ways[] = {
  {"", " ! " CUDA},
  {" ! cudagray to CUDA memory", " ! " CUDA " ! cudagray ! " CUDA},
  {" ! cudagray", " ! " CUDA " ! cudagray" GRAY},
  {" ! cudadownload ! videoconvert n-threads=1", DOWNLOADED "1" GRAY},
  {" ! cudadownload ! videoconvert n-threads=0", DOWNLOADED "0" GRAY},
  {" ! cudagray backend=cpu", " ! cudagray backend=cpu" GRAY, TRUE},
};

static gboolean
have (const gchar * element)
{
  GstElementFactory *factory = element != NULL ?
      gst_element_factory_find (element) : NULL;
  gboolean found = factory != NULL;

  gst_clear_object (&factory);
  return found;
}

/* Some frames of a camera's bit rate. */
static void
encode (const Codec * codec, BenchSize size, const gchar * file)
{
  gsize pixels = size.width * size.height;
  gchar *settings = codec->settings != NULL ? g_strdup_printf ("%s%"
      G_GSIZE_FORMAT, codec->settings, 4 * pixels) : g_strdup ("");
  gchar *text = g_strdup_printf ("videotestsrc num-buffers=%u "
      "pattern=zone-plate kx2=20 ky2=20 kt=2 ! video/x-raw,format=I420,width=%"
      G_GSIZE_FORMAT ",height=%" G_GSIZE_FORMAT ",framerate=30/1 ! %s %s ! "
      "%s ! filesink location=%s", ENCODED, size.width, size.height,
      codec->encoder, settings, codec->parser, file);

  bench_play (text);
  g_free (text);
  g_free (settings);
}

/* Until there are frames enough. */
static void
repeat (const gchar * file, guint timed)
{
  FILE *out = fopen (file, "ab");
  gchar *bytes;
  gsize size;

  if (out == NULL || !g_file_get_contents (file, &bytes, &size, NULL))
    g_error ("can't open %s", file);
  for (guint n = ENCODED; n <= BENCH_WARM_UP + timed; n += ENCODED) {
    if (fwrite (bytes, size, 1, out) != 1)
      g_error ("can't write %s", file);
  }
  if (fclose (out) != 0)
    g_error ("can't write %s", file);
  g_free (bytes);
}

static void
measure (const Codec * codec, BenchSize size)
{
  const gchar *software = have (codec->software[0]) ? codec->software[0] :
      codec->software[1];
  gchar *file;
  gint fd = g_file_open_tmp ("cudagray-decode-XXXXXX", &file, NULL);

  if (fd < 0 || !g_close (fd, NULL))
    g_error ("no file");
  encode (codec, size, file);
  repeat (file, codec->timed);
  for (guint w = 0; w < G_N_ELEMENTS (ways); w++) {
    const gchar *decoder = ways[w].software ? software : codec->hardware;
    gchar *name, *text;

    if (!have (decoder)) {
      g_printerr ("no software decoder of %s\n", codec->name);
      continue;
    }
    name = g_strconcat (decoder, ways[w].name, NULL);
    text = g_strdup_printf ("filesrc location=%s ! %s ! %s%s ! "
        "fakesink name=sink", file, codec->parser, decoder, ways[w].elements);
    bench_pipeline ("decode", name, codec->name, size, text, codec->timed,
        1.0 * size.width * size.height);
    g_free (text);
    g_free (name);
  }
  g_unlink (file);
  g_free (file);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  GST_ELEMENT_REGISTER (cudagray, NULL);
  if (!bench_find_gpu ())
    return 77;
  bench_print_header ();
  for (guint c = 0; c < G_N_ELEMENTS (codecs); c++) {
    if (argc > 1 && !g_str_equal (argv[1], codecs[c].name))
      continue;
    if (!have (codecs[c].hardware) || !have (codecs[c].encoder) ||
        !have (codecs[c].parser)) {
      g_printerr ("%s needs %s, %s and %s\n", codecs[c].name,
          codecs[c].hardware, codecs[c].encoder, codecs[c].parser);
      continue;
    }
    measure (&codecs[c], bench_sizes[BENCH_N_SIZES - 3]);
    measure (&codecs[c], bench_sizes[BENCH_N_SIZES - 2]);
  }
  return 0;
}
