/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Compressed clips, made by what encoders there are, and what a decoder's frames
 * of them become. */

#pragma once

#include <gst/gst.h>

typedef struct
{
  const gchar *name;
  const gchar *raw;             /* the encoder's format */
  const gchar *encoder, *settings;
  const gchar *parser, *hardware, *software[2];
  const gchar *decoded;         /* the format that the GPU's decoder gives */
  gboolean exact;               /* every decoder gives the same */
  gboolean reordered;           /* has B-frames */
} Codec;

/* The one under test. */
extern const Codec *codec;

/* As gst-launch has them: the decoder under test, and what it is compared with:
 * a software decoder where the codec is exact, otherwise itself, with frames
 * that the CPU downloads. */
extern gchar *clip_decoder, *clip_reference;

typedef struct
{
  /* One after the other, up to one without a width. */
  struct
  {
    gint width, height, frames;
  } parts[5];
  gboolean seekable;
  gchar *file;
  GPtrArray *gray;              /* rows of the reference's frames */
  /* Of 8 bits: their Y, and what the last frame's caps say. */
  GPtrArray *luma;
  gchar *colorimetry;
} Clip;

enum
{ CLIP_SMALL, CLIP_FULL_HD, CLIP_CHANGING, CLIP_SEEKABLE, N_CLIPS };

extern Clip clips[N_CLIPS];

/* Chooses what CUDAGRAY_TEST_CODEC names, or the first; FALSE, and says why,
 * where something is missing for it. */
gboolean clip_init (void);

/* Before the first test of a case, and after the last. */
void clip_make_all (void);
void clip_drop_all (void);

gboolean clip_is_deep (void);   /* of more than 8 bits */

/* The clip, a decoder of it and more elements. */
GstElement *clip_launch (const Clip * clip, const gchar * decoder,
    const gchar * elements);
