import type { Preflight } from '@lettergate/client'
import { Text } from '@mantine/core'
import { DataTable } from '../../parts/data-table.tsx'
import { PageLinkFromHere } from '../../parts/link.tsx'
import { withMoments } from '../../parts/with-moments.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'

/** The results of checks as a person reads them. */
export const checkWords = { pass: 'passed', warn: 'warning', block: 'blocked' } as const

/** Where the checks that name something of the console find it. */
const pages: Record<string, string> = {
  production_switch: '/platform/gates',
  workspace_sending: '/sending',
  provider_connection: '/sending',
  webhook_signing_key: '/sending',
  domain_readiness: '/sending',
  webhook_registration: '/sending',
  sender_enabled: '/sending',
  import_in_progress: '/imports',
}

function WhatToDo({ check: { code, status, remediation } }: { check: Preflight['checks'][number] }) {
  const page = status === 'pass' ? undefined : pages[code]
  return (
    <Text size="sm">
      {remediation ?? '–'} {page && <PageLinkFromHere path={page} />}
    </Text>
  )
}

/** The checks of one report, with what to do about each. */
export const PreflightChecks = ({ label, checks }: { label: string; checks: Preflight['checks'] }) => (
  <DataTable
    label={label}
    roomOf={3}
    rows={checks}
    keyOf={({ code }) => code}
    empty=""
    columns={[
      { title: 'Check', cell: (check) => check.label },
      { title: 'Result', cell: (check) => <StateBadge state={checkWords[check.status]} /> },
      { title: 'Found', cell: (check) => <Text size="sm">{withMoments(check.detail)}</Text> },
      { title: 'What to do', cell: (check) => <WhatToDo check={check} /> },
    ]}
  />
)
