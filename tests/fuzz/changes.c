/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What an application and a GPU do to an element. */

#include "convert.h"
#include "fake.h"
#include "world.h"

/* Frames that are set aside stay in memory for good. */
#define MAX_SET_ASIDE 1000

void
world_change_sink_caps (World * world)
{
  static const gchar *const wishes[] = { "video/x-raw(ANY)",
    "video/x-raw, format=GRAY8", "video/x-raw, format=GRAY16_LE",
    "video/x-raw, format=GRAY16_BE", "video/x-raw, format={GRAY16_LE, GRAY8}",
    "video/x-raw, colorimetry=bt709", "video/x-raw, colorimetry=bt601",
    "video/x-raw, format=GRAY16_BE, colorimetry=\"2:4:0:0\"",
    "video/x-raw, colorimetry={sRGB, bt2020}", "video/x-raw, width=[1, 20]",
    "audio/x-raw", "EMPTY", "video/x-raw, colorimetry=\"1:3:5:1\"",
    "video/x-raw, format=(string)GRAY8, colorimetry=\"2:5:0:0\"",
    "video/x-raw, colorimetry=\"1:6:0:0\"", "video/x-raw, format=RGB"
  };
  guint which = input_below (&world->input, G_N_ELEMENTS (wishes) + 2);
  GstCaps *caps = which < G_N_ELEMENTS (wishes) ?
      gst_caps_from_string (wishes[which]) : world_take_caps (world);

  counts.changes++;
  world->settled = FALSE;
  if (caps != NULL)
    gst_harness_set_sink_caps (world->harness, caps);
}

void
world_set_property (World * world)
{
  Input *input = &world->input;
  gint device, got;

  counts.changes++;
  switch (input_below (input, 4)) {
    case 0:
      g_object_set (world->element, "backend", input_below (input, 3), NULL);
      break;
    case 1:
      device = (gint) input_below (input, 5) - 1;
      g_object_set (world->element, "cuda-device-id", device, NULL);
      g_object_get (world->element, "cuda-device-id", &got, NULL);
      MUST (got == device, "device %d", got);
      break;
    case 2:
      world->qos |= input_below (input, 2);
      g_object_set (world->element, "qos", world->qos, NULL);
      break;
    default:
      world_frames_set_aside (world);
  }
}

/* A GPU that is as bad as it likes; frames of backend=auto survive it. */
static void
take_gpu (Input * input)
{
  FakePlan plan = {
    .state = input_below (input, 8) < 5 ? GPU_READY : input_below (input, 4),
    .where = input_below (input, 3),
    .frame = input_below (input, 6),
    .result = input_rarely (input, 3) && memories_set_aside < MAX_SET_ASIDE ?
        LUMA_UNKNOWN : LUMA_FAILED,
    .path = input_below (input, 2) ? LUMA_PATH_STAGED : LUMA_PATH_IN_PLACE,
    .small_pixels = input_rarely (input, 4) ? input_below (input, 200) : 0,
  };

  /* A copy takes memory. */
  if (plan.path == LUMA_PATH_STAGED && plan.result == LUMA_FAILED &&
      plan.frame % 2 == 0)
    plan.result = LUMA_REFUSED;
  MUST (fake.misused == 0, "the backend");
  fake_install (&plan);
}

void
world_restart (World * world)
{
  Input *input = &world->input;
  gint backend;

  counts.changes++;
  if (gst_element_set_state (world->element, input_below (input, 2) ?
          GST_STATE_READY : GST_STATE_NULL) != GST_STATE_CHANGE_SUCCESS)
    MUST (FALSE, "the element does not stop");
  take_gpu (input);
  world->settled = FALSE;
  if (input_below (input, 4) == 3)
    return;
  gst_element_set_state (world->element, GST_STATE_PLAYING);
  g_object_get (world->element, "backend", &backend, NULL);
  world->trouble = backend == GST_CUDA_GRAY_BACKEND_CUDA ||
      downstream_is_bad ();
  gst_pad_push_event (world->harness->srcpad,
      gst_event_new_stream_start ("restarted"));
}

/* A GPU that was given up writes where it was told to. */
void
world_act_late (World * world)
{
  fake_act_late ();
}

void
world_set_context (World * world)
{
  GstContext *context = gst_context_new (input_below (&world->input, 2) ?
      "gst.cuda.context" : "anything", TRUE);

  counts.changes++;
  gst_element_set_context (world->element, context);
  gst_context_unref (context);
}
