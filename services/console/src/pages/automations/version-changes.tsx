import type { Automation, AutomationVersion } from '@lettergate/client'
import { Select, Text } from '@mantine/core'
import { useMemo } from 'react'
import { DataTable } from '../../parts/data-table.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Section } from '../../parts/section.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { useOtherVersion } from '../../parts/use-other-version.ts'
import { useAnswer } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { differencesOf } from './differences.ts'
import { namesOf } from './node-words.ts'

/** What a version changed, against the one before it or another one. */
export function VersionChanges({ automation, version }: { automation: Automation; version: AutomationVersion }) {
  const { name, api } = useWorkspace()
  const { others, before, choose } = useOtherVersion(automation.versions, version)
  const answer = useAnswer(
    [name, 'automation-version', before?.id],
    (options) => api.getAutomationVersion({ automation_id: automation.id, version_id: before!.id }, options),
    { enabled: before !== undefined },
  )
  if (others.length === 0) return null
  return (
    <Section title={`Changes in version ${version.version}`}>
      <Select
        label="Compared with version"
        allowDeselect={false}
        placeholder="Choose one"
        data={others.map((one) => ({ value: one.id, label: String(one.version) }))}
        value={before?.id ?? null}
        onChange={choose}
        maw={220}
      />
      {before && <Loaded answer={answer}>{(data) => <Differences before={data.version} after={version} />}</Loaded>}
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
