/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Caps as text, good ones and such as nobody should send. */

#include <string.h>

#include "shot.h"
#include "world.h"

static const gchar *const strange_formats[] = { "v210", "NV12_64Z32",
  "GRAY10_LE16", "ENCODED", "RGB8P", "IYU1", "UNKNOWN", "\"\"", "A420",
  "NV12_4L4"
};

static const gchar *const features[] = { "", "", "", "",
  "(memory:SystemMemory)", "(meta:GstVideoOverlayComposition)",
  "(format:Interlaced)",
  "(memory:SystemMemory, meta:GstVideoOverlayComposition)",
  "(memory:CUDAMemory)", "(ANY)", "(memory:DMABuf)"
};

static const gchar *const colorimetries[] = { "bt601", "bt709", "bt2020",
  "smpte240m", "sRGB", "1:4:0:0", "2:4:7:1", "2:1:7:1", "1:1:5:1", "2:2:0:0",
  "1:5:0:0", "0:0:0:0", "2:6:5:4", "1:3:5:1", "9:9:9:9", "", "bt2100-pq",
  "2:5:4:2", "1:6:16:4", "2:3:1:1"
};

static const gchar *const extras[] = { "", "interlace-mode=alternate",
  "interlace-mode=interleaved", "pixel-aspect-ratio=0/1",
  "pixel-aspect-ratio=4/3", "chroma-site=jpeg", "views=2",
  "multiview-mode=side-by-side", "framerate=0/1", "max-framerate=30/1",
  "field-order=top-field-first", "framerate=[0/1,60/1]",
  "colorimetry={bt601,bt709}", "texture-target=2D", "interlace-mode=mixed",
  "interlace-mode=interleaved", "interlace-mode=(string)fields"
};

#define PICK(input, list) list[input_below (input, G_N_ELEMENTS (list))]

static void
append_size (Input * input, GString * text, const gchar * name, guint most)
{
  guint kind = input_below (input, 64);

  if (kind == 63)
    return;
  g_string_append_printf (text, ", %s=(int)", name);
  if (kind == 62)
    g_string_append (text, "[1, 100]");
  else if (kind > 58)
    g_string_append_printf (text, "%d", (gint) input_number (input));
  else if (kind == 58)
    g_string_append_printf (text, "%d", 60000 + (gint) input_take (input, 2));
  else
    g_string_append_printf (text, "%u", 1 + input_below (input,
            kind < 32 ? MIN (most, 12) : most));
}

static GString *
take_text (Input * input)
{
  guint format = input_below (input, N_SHOT_FORMATS + 8);
  GString *text = g_string_new (input_rarely (input, 64) ? "audio/x-raw" :
      "video/x-raw");

  g_string_append (text, input_rarely (input, 8) ? PICK (input, features) : "");
  g_string_append_printf (text, ", format=(string)%s",
      format < N_SHOT_FORMATS ? shot_format_name (format) :
      PICK (input, strange_formats));
  append_size (input, text, "width", 75);
  append_size (input, text, "height", 7);
  if (input_below (input, 2))
    g_string_append_printf (text, ", colorimetry=(string)\"%s\"",
        PICK (input, colorimetries));
  if (input_rarely (input, 4))
    g_string_append_printf (text, ", %s", PICK (input, extras));
  else
    g_string_append (text, ", framerate=30/1");
  return text;
}

GstCaps *
world_take_caps (World * world)
{
  Input *input = &world->input;
  GString *text = take_text (input);
  GstCaps *caps;

  for (guint n = input_rarely (input, 16) ? 1 + input_below (input, 3) : 0;
      n > 0; n--) {
    guint at = input_below (input, (guint) text->len);
    gchar letter = (gchar) input_take (input, 1);

    /* GStreamer itself has criticals for a media type that is no name, which
     * follows a semicolon too, and leaks a list or an array that does not end;
     * text that is not UTF-8 is no text. */
    if (letter >= ' ' && letter < 127 && strchr (";{<", letter) == NULL &&
        strchr ("}>", text->str[at]) == NULL && at > strlen ("video/x-raw"))
      text->str[at] = letter;
  }
  caps = gst_caps_from_string (text->str);
  g_string_free (text, TRUE);
  return caps;
}
