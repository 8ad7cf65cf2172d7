import { defineEntity, p } from '@mikro-orm/core'
import type { Row } from '@lettergate/database'
import { moment } from '@lettergate/values/moment'
import type { PreflightReport } from './report.ts'

/** A stored preflight. The database refuses changes. */
export const Preflight = defineEntity({
  name: 'Preflight',
  tableName: 'preflights',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    report: p.json<PreflightReport>(),
    reportChecksum: p.text(),
    requestedBy: p.text(),
    completedAt: p.datetime(),
  },
})

/** The preflight as lists show it. */
export const listedPreflight = (row: Row<typeof Preflight>) => ({
  id: row.id,
  ...row.report,
  reportChecksum: row.report_checksum,
  requestedBy: row.requested_by,
  completedAt: moment(row.completed_at),
})

/** The preflight as the API shows it. */
export const preflightReply = ({
  workspace_id: workspaceId,
  id,
  report,
  report_checksum: reportChecksum,
  requested_by: requestedByWalletId,
  completed_at: completedAt,
}: Row<typeof Preflight>) => ({
  id,
  workspaceId,
  ...report,
  reportChecksum,
  requestedByWalletId,
  completedAt: moment(completedAt),
})
