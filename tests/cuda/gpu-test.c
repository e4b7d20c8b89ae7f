/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "gpu-test.h"

#include <stdio.h>

#include "gpu.h"
#include "gstcudagray.h"

int
gpu_test_main (int argc, char **argv, Suite * (*suite) (void))
{
  LumaBackend *backend;
  GpuStatus status;
  SRunner *runner;
  int failed;

  gst_check_init (&argc, &argv);
  GST_ELEMENT_REGISTER (cudagray, NULL);
  backend = gpu_open (-1, &status);
  if (backend == NULL) {
    printf ("skipped: %s\n", status.text);
    return 77;
  }
  backend->klass->close (backend);
  runner = srunner_create (suite ());
  srunner_set_fork_status (runner, CK_NOFORK);
  srunner_run_all (runner, CK_NORMAL);
  failed = srunner_ntests_failed (runner);
  srunner_free (runner);
  return failed != 0;
}
