import type { Automation, AutomationVersion } from '@lettergate/client'
import { Text } from '@mantine/core'
import { useMemo } from 'react'
import { DataTable } from '../../parts/data-table.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Section } from '../../parts/section.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { OtherVersion, useOtherVersion } from '../../parts/other-version.tsx'
import { useAnswer } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { differencesOf } from './differences.ts'
import { namesOf } from './node-words.ts'

/** What a version changed, against the one before it or another one. */
export function VersionChanges({ automation, version }: { automation: Automation; version: AutomationVersion }) {
  const { name, api } = useWorkspace()
  const other = useOtherVersion(automation.versions, version)
  const answer = useAnswer(
    [name, 'automation-version', other.before?.id],
    (options) => api.getAutomationVersion({ automation_id: automation.id, version_id: other.before!.id }, options),
    { enabled: other.before !== undefined },
  )
  if (other.others.length === 0) return null
  return (
    <Section title={`Changes in version ${version.version}`}>
      <OtherVersion {...other} labelOf={(one) => String(one.version)} />
      {other.before && (
        <Loaded answer={answer}>{(data) => <Differences before={data.version} after={version} />}</Loaded>
      )}
    </Section>
  )
}

function Differences({ before, after }: { before: AutomationVersion; after: AutomationVersion }) {
  const differences = useMemo(
    () =>
      differencesOf(before.definition, after.definition, {
        ...namesOf(before.validation.dependencies),
        ...namesOf(after.validation.dependencies),
      }),
    [before, after],
  )
  return (
    <DataTable
      label="Changes"
      roomOf={3}
      rows={differences}
      keyOf={({ kind, of }) => `${kind} ${of}`}
      empty="Both versions do the same"
      columns={[
        { title: 'What', cell: (row) => <StateBadge state={row.kind} /> },
        { title: 'Step', cell: (row) => <Text size="sm">{row.of}</Text> },
        { title: 'Before', cell: (row) => (row.before ? <del>{row.before}</del> : '–') },
        { title: 'After', cell: (row) => (row.after ? <ins>{row.after}</ins> : '–') },
      ]}
    />
  )
}
