/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "clip.h"

#include <glib/gstdio.h>
#include <stdio.h>

#include "pipe.h"
#include "play.h"
#include "rig.h"

#define SYSTEM "video/x-raw"
#define BYTES "stream-format=byte-stream,alignment=au"

static const Codec codecs[] = {
  {"h264", "I420", "openh264enc", "bitrate=2000000 gop-size=8 ! "
        "video/x-h264," BYTES, "h264parse", "nvh264dec",
      {"avdec_h264", "openh264dec"}, "NV12", TRUE},
  /* With partitions openh264dec is not exact. */
  {"h264-b", "I420", "x264enc", "bframes=2 b-adapt=false key-int-max=8 "
        "speed-preset=veryfast option-string=partitions=none ! "
        "video/x-h264,profile=high," BYTES, "h264parse", "nvh264dec",
      {"avdec_h264", "openh264dec"}, "NV12", TRUE, TRUE},
  {"h265-10", "I420_10LE", "x265enc", "key-int-max=8 speed-preset=ultrafast ! "
        "video/x-h265,profile=main-10," BYTES, "h265parse", "nvh265dec",
      {"avdec_h265"}, "P010_10LE", TRUE, TRUE},
  {"h265-444", "Y444", "x265enc", "key-int-max=8 speed-preset=ultrafast ! "
        "video/x-h265,profile=main-444," BYTES, "h265parse", "nvh265dec",
      {"avdec_h265"}, "Y444", TRUE, TRUE},
  {"jpeg", "I420", "jpegenc", "! image/jpeg", "jpegparse", "nvjpegdec",
      {"jpegdec", "avdec_mjpeg"}, "NV12"},
};

Clip clips[N_CLIPS] = {
  [CLIP_SMALL] = {.parts = {{322, 182, 24}}},
  /* 1088 rows are coded. */
  [CLIP_FULL_HD] = {.parts = {{1920, 1080, 4}}},
  [CLIP_CHANGING] = {.parts = {{322, 182, 7}, {640, 360, 5}, {1280, 720, 2},
          {322, 182, 4}}},
  [CLIP_SEEKABLE] = {.parts = {{322, 182, 40}},.seekable = TRUE},
};

const Codec *codec;
gchar *clip_decoder, *clip_reference;

gboolean
clip_is_deep (void)
{
  const GstVideoFormatInfo *info =
      gst_video_format_get_info (gst_video_format_from_string (codec->decoded));

  return GST_VIDEO_FORMAT_INFO_DEPTH (info, 0) > 8;
}

GstElement *
clip_launch (const Clip * clip, const gchar * decoder, const gchar * elements)
{
  return pipe_launch ("filesrc location=%s ! %s%s ! %s ! %s", clip->file,
      clip->seekable ? "matroskademux ! " : "", codec->parser, decoder,
      elements);
}

/* Into the clip's file, alone. */
static void
encode (const Clip * clip, guint part)
{
  GstElement *pipeline = pipe_launch ("videotestsrc num-buffers=%d "
      "pattern=zone-plate kx2=20 ky2=20 kt=2 ! video/x-raw,format=%s,width=%d,"
      "height=%d,framerate=30/1 ! %s %s ! %s ! %sfilesink location=%s",
      clip->parts[part].frames, codec->raw, clip->parts[part].width,
      clip->parts[part].height, codec->encoder, codec->settings, codec->parser,
      clip->seekable ? "matroskamux ! " : "", clip->file);

  pipe_play (pipeline, 60);
  pipe_stop (pipeline, NULL);
}

static gchar *
sink_colorimetry (GstElement * pipeline)
{
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "a");
  GstPad *pad = gst_element_get_static_pad (sink, "sink");
  GstCaps *caps = gst_pad_get_current_caps (pad);
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, caps));
  gst_caps_unref (caps);
  gst_object_unref (pad);
  gst_object_unref (sink);
  return gst_video_colorimetry_to_string (&info.colorimetry);
}

/* The reference's frames of the file.  The watch compares those that
 * backend=cpu makes gray with the rule. */
static void
decode (Clip * clip, guint part)
{
  GstElement *pipeline = clip_launch (clip, clip_reference,
      "cudagray backend=cpu ! appsink name=a sync=false");
  PipeWatch *watch = pipe_watch (pipeline);

  g_ptr_array_extend_and_steal (clip->gray, play_rows (pipeline));
  pipe_stop (pipeline, NULL);
  fail_unless_equals_int (watch->out, clip->parts[part].frames);
  pipe_watch_free (watch);
  if (clip_is_deep ())
    return;
  pipeline = clip_launch (clip, clip_reference, "appsink name=a sync=false");
  g_ptr_array_extend_and_steal (clip->luma, play_rows (pipeline));
  g_free (clip->colorimetry);
  clip->colorimetry = sink_colorimetry (pipeline);
  pipe_stop (pipeline, NULL);
}

#ifndef SIMULATED
/* The GPU's decoders of 1.22 lose frames where the size changes: what they give
 * is some of what was expected, in that order, and is expected from here on. */
static void
expect_decoded (Clip * clip)
{
  gchar *elements = g_strdup_printf ("%s ! cudadownload ! %s ! "
      "cudagray backend=cpu ! appsink name=a sync=false", CUDA, SYSTEM);
  GstElement *pipeline = clip_launch (clip, clip_decoder, elements);
  GPtrArray *left = play_rows (pipeline);
  guint last = 0;

  pipe_stop (pipeline, NULL);
  for (guint i = 0; i < left->len; i++) {
    GPtrArray *gray = clip->gray;
    guint at = last;

    while (at < gray->len && !g_bytes_equal (left->pdata[i], gray->pdata[at]))
      at++;
    fail_unless (at < gray->len, "frame %u of %u is none of the clip", i,
        left->len);
    last = at + 1;
  }
  fail_unless (left->len > 0);
  printf ("%s: %u of %u frames, where the size changes\n", codec->name,
      left->len, clip->gray->len);
  g_ptr_array_unref (clip->gray);
  clip->gray = left;
  g_free (elements);
}
#endif

/* The parts are decoded one by one: a software decoder may lose frames where
 * the size changes. */
static void
make (Clip * clip)
{
  GByteArray *all = g_byte_array_new ();
  gint file = g_file_open_tmp ("cudagray-decoders-XXXXXX", &clip->file, NULL);

  fail_unless (g_close (file, NULL));
  clip->gray = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  clip->luma = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  for (guint i = 0; clip->parts[i].width != 0; i++) {
    gchar *bytes;
    gsize size;

    encode (clip, i);
    decode (clip, i);
    fail_unless (g_file_get_contents (clip->file, &bytes, &size, NULL));
    g_byte_array_append (all, (guint8 *) bytes, size);
    g_free (bytes);
  }
  fail_unless (g_file_set_contents (clip->file, (gchar *) all->data, all->len,
          NULL));
  g_byte_array_unref (all);
#ifndef SIMULATED
  if (clip->parts[1].width != 0)
    expect_decoded (clip);
#endif
}

void
clip_make_all (void)
{
  for (guint c = 0; c < N_CLIPS; c++)
    make (&clips[c]);
}

void
clip_drop_all (void)
{
  for (guint c = 0; c < N_CLIPS; c++) {
    if (clips[c].file != NULL)
      g_unlink (clips[c].file);
    g_clear_pointer (&clips[c].file, g_free);
    g_clear_pointer (&clips[c].colorimetry, g_free);
    g_clear_pointer (&clips[c].gray, g_ptr_array_unref);
    g_clear_pointer (&clips[c].luma, g_ptr_array_unref);
  }
}

#ifdef SIMULATED
#define NEEDED "videoconvert"

static gboolean
can_decode (void)
{
  return TRUE;
}
#else
#define NEEDED codec->hardware

/* Some formats are not every GPU's. */
static gboolean
can_decode (void)
{
  GstElementFactory *factory = gst_element_factory_find (codec->hardware);
  GstCaps *caps = gst_caps_new_simple (SYSTEM, "format", G_TYPE_STRING,
      codec->decoded, NULL);
  gboolean can = gst_element_factory_can_src_any_caps (factory, caps);

  gst_caps_unref (caps);
  gst_object_unref (factory);
  return can;
}
#endif

/* What is missing, or NULL. */
static const gchar *
missing (void)
{
  const gchar *needed[] = { codec->encoder, codec->parser, "matroskamux",
    "matroskademux", NEEDED
  };

  for (guint i = 0; i < G_N_ELEMENTS (needed); i++) {
    if (!pipe_have (needed[i]))
      return needed[i];
  }
  return can_decode ()? NULL : codec->decoded;
}

static const Codec *
find_codec (const gchar * name)
{
  for (guint i = 0; i < G_N_ELEMENTS (codecs); i++) {
    if (name == NULL || g_str_equal (codecs[i].name, name))
      return &codecs[i];
  }
  g_error ("no codec %s", name);
}

gboolean
clip_init (void)
{
  const gchar *software;

  codec = find_codec (g_getenv ("CUDAGRAY_TEST_CODEC"));
  software = codec->software[0];
  if (missing () != NULL) {
    printf ("skipped: no %s\n", missing ());
    return FALSE;
  }
#ifndef SIMULATED
  /* The second may lose frames where the size changes. */
  if (!pipe_have (software))
    software = codec->software[1];
#endif
  if (software == NULL || !pipe_have (software)) {
    printf ("skipped: no %s\n", codec->software[0]);
    return FALSE;
  }
#ifdef SIMULATED
  /* libav takes its first frames before it has a pool, if it may. */
  clip_decoder = g_strdup_printf ("%s%s ! videoconvert dither=none ! "
      "video/x-raw,format=%s ! cudaupload", software,
      g_str_has_prefix (software, "avdec") ? " direct-rendering=false" : "",
      codec->decoded);
#else
  clip_decoder = g_strdup (codec->hardware);
#endif
  clip_reference = codec->exact ? g_strdup (software) :
      g_strdup_printf ("%s ! " CUDA " ! cudadownload ! " SYSTEM, clip_decoder);
  return TRUE;
}
