import type { Automations } from '@lettergate/contracts/automations/v1/automations'
import type { Operations } from '@lettergate/rpc'
import { archiveAutomation } from './automations/archive-automation.ts'
import { createAutomation } from './automations/create-automation.ts'
import { createAutomationVersion } from './automations/create-automation-version.ts'
import { getAutomation } from './automations/get-automation.ts'
import { getAutomationVersion } from './automations/get-automation-version.ts'
import { listAutomations } from './automations/list-automations.ts'
import { markAutomationReadyForReview } from './automations/mark-automation-ready-for-review.ts'
import { pauseAutomation } from './automations/pause-automation.ts'
import { publishAutomation } from './automations/publish-automation.ts'
import { requireAudienceUnused } from './automations/require-audience-unused.ts'
import { requireSenderUnused } from './automations/require-sender-unused.ts'
import { restoreAutomation } from './automations/restore-automation.ts'
import type { Ctx } from './ctx.ts'
import { controlEnrollment } from './enrollments/control-enrollment.ts'
import { createSyntheticEnrollment } from './enrollments/create-synthetic-enrollment.ts'
import { getAutomationVersionCounts } from './enrollments/get-automation-version-counts.ts'
import { getEnrollment } from './enrollments/get-enrollment.ts'
import { listContactEnrollments } from './enrollments/list-contact-enrollments.ts'
import { listEnrolledContacts } from './enrollments/list-enrolled-contacts.ts'
import { listEnrollments } from './enrollments/list-enrollments.ts'
import { reconstructAutomation } from './reconstruction/reconstruct-automation.ts'
import { runSyntheticEnrollment } from './virtual-clock/run-synthetic-enrollment.ts'

/** The rpcs of this service, by feature. Each has a route, unless the comment names its caller. */
export const operations = {
  // automations
  listAutomations,
  createAutomation,
  getAutomation,
  getAutomationVersion,
  createAutomationVersion,
  markAutomationReadyForReview,
  archiveAutomation,
  restoreAutomation,
  publishAutomation,
  pauseAutomation,
  // automations, asked before a deletion
  requireAudienceUnused,
  requireSenderUnused,

  // enrollments
  getAutomationVersionCounts,
  listEnrollments,
  listContactEnrollments,
  listEnrolledContacts,
  getEnrollment,
  createSyntheticEnrollment,
  controlEnrollment,

  // virtual clock
  runSyntheticEnrollment,

  // reconstruction, called by reconstruct
  reconstructAutomation,
} satisfies Operations<typeof Automations, Ctx>
