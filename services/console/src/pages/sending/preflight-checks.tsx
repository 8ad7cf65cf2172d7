import type { Preflight } from '@lettergate/client'
import { Text } from '@mantine/core'
import { DataTable } from '../../parts/data-table.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'

/** The results of checks as a person reads them. */
export const checkWords = { pass: 'passed', warn: 'warning', block: 'blocked' } as const

/** The checks of one report, with what to do about each. */
export const PreflightChecks = ({ label, checks }: { label: string; checks: Preflight['checks'] }) => (
  <DataTable
    label={label}
    rows={checks}
    keyOf={({ code }) => code}
    empty=""
    columns={[
      { title: 'Check', cell: (check) => check.label },
      { title: 'Result', cell: (check) => <StateBadge state={checkWords[check.status]} /> },
      { title: 'Found', cell: (check) => <Text size="sm">{check.detail}</Text> },
      { title: 'What to do', cell: (check) => <Text size="sm">{check.remediation ?? '–'}</Text> },
    ]}
  />
)
