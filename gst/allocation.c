/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "config.h"

#include "allocation.h"

static GstBufferPool *
new_pool (GstCaps * caps, guint size, guint min, gboolean video_meta,
    GstAllocator * allocator, const GstAllocationParams * params)
{
  GstBufferPool *pool = gst_video_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);

  gst_buffer_pool_config_set_params (config, caps, size, min, 0);
  if (allocator != NULL)
    gst_buffer_pool_config_set_allocator (config, allocator, params);
  if (video_meta)
    gst_buffer_pool_config_add_option (config,
        GST_BUFFER_POOL_OPTION_VIDEO_META);
  if (gst_buffer_pool_set_config (pool, config))
    return pool;
  gst_object_unref (pool);
  return NULL;
}

/* The caps of a query, and what they say; anyone may ask with any.  Pools take
 * sizes of 32 bits. */
static GstCaps *
parse_caps (GstQuery * query, gboolean * need_pool, GstVideoInfo * info)
{
  GstCaps *caps;

  gst_query_parse_allocation (query, &caps, need_pool);
  return caps != NULL && gst_caps_is_fixed (caps) &&
      gst_video_info_from_caps (info, caps) && info->size <= G_MAXUINT ?
      caps : NULL;
}

gboolean
cuda_gray_allocation_propose (GstQuery * query, GstAllocator * allocator,
    guint min)
{
  GstAllocationParams params;
  GstBufferPool *pool = NULL;
  gboolean need_pool;
  GstVideoInfo info;
  GstCaps *caps = parse_caps (query, &need_pool, &info);

  if (caps == NULL)
    return FALSE;
  gst_allocation_params_init (&params);
  params.align = 63;
  if (need_pool) {
    pool = new_pool (caps, info.size, min, FALSE, allocator, &params);
    if (pool == NULL)
      return FALSE;
  }
  gst_query_add_allocation_param (query, allocator, &params);
  gst_query_add_allocation_pool (query, pool, info.size, min, 0);
  if (!gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL))
    gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  gst_clear_object (&pool);
  return TRUE;
}

/* A pool that says nothing about where its memory comes from. */
static gboolean
is_plain_pool (GstBufferPool * pool)
{
  return pool == NULL || G_OBJECT_TYPE (pool) == GST_TYPE_VIDEO_BUFFER_POOL ||
      G_OBJECT_TYPE (pool) == GST_TYPE_BUFFER_POOL;
}

static gboolean
is_plain_allocator (GstAllocator * allocator)
{
  return allocator == NULL ||
      g_strcmp0 (allocator->mem_type, GST_ALLOCATOR_SYSMEM) == 0;
}

/* Puts our allocator in the place of a plain one. */
static void
set_allocator (GstQuery * query, GstAllocator * ours)
{
  GstAllocationParams params;
  GstAllocator *theirs = NULL;

  gst_allocation_params_init (&params);
  if (gst_query_get_n_allocation_params (query) == 0) {
    gst_query_add_allocation_param (query, ours, &params);
    return;
  }
  gst_query_parse_nth_allocation_param (query, 0, &theirs, &params);
  if (is_plain_allocator (theirs))
    gst_query_set_nth_allocation_param (query, 0, ours, &params);
  gst_clear_object (&theirs);
}

gboolean
cuda_gray_allocation_decide (GstQuery * query, GstAllocator * allocator)
{
  gboolean video_meta = gst_query_find_allocation_meta (query,
      GST_VIDEO_META_API_TYPE, NULL);
  guint size = 0, min = 0, max = 0;
  GstBufferPool *pool = NULL;
  GstVideoInfo info;
  GstCaps *caps = parse_caps (query, NULL, &info);

  if (caps == NULL)
    return FALSE;
  if (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &min, &max);
  size = MAX (size, info.size);
  if (is_plain_pool (pool))
    set_allocator (query, allocator);
  if (pool == NULL) {
    pool = new_pool (caps, size, min, video_meta, NULL, NULL);
    if (pool == NULL)
      return FALSE;
  }
  if (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_set_nth_allocation_pool (query, 0, pool, size, min, max);
  else
    gst_query_add_allocation_pool (query, pool, size, min, max);
  gst_object_unref (pool);
  return TRUE;
}
