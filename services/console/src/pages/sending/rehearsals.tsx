import { Text } from '@mantine/core'
import { Moment } from '../../parts/moment.tsx'
import { Empty } from '../../parts/page.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { Section } from '../../parts/section.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { inWords } from '../../parts/words.ts'
import { usePages } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { TestButton } from './test-button.tsx'

/** Test emails whose signed events of the provider must come back. */
export function Rehearsals() {
  const { name, api, console } = useWorkspace()
  const pages = usePages(
    [name, 'rehearsals'],
    (page, options) => console.listRehearsals({ ...page, limit: 20 }, options),
    {
      everyMs: (read) =>
        read.some((page) => page.rehearsals.some(({ state }) => ['pending', 'sent'].includes(state))) && 3_000,
    },
  )
  return (
    <Section
      title="Rehearsals"
      about="A rehearsal is verified when the expected events of the provider arrived, each with a valid signature."
      isPlain
      actions={
        <TestButton
          label="Rehearse"
          title="Run a controlled rehearsal"
          act="Run it"
          consequences={['One real email is sent.']}
          phrase="RUN CONTROLLED REHEARSAL"
          run={(body, idempotency_key) => api.createRehearsal({ idempotency_key, body })}
        />
      }
    >
      <PagedTable
        label="Rehearsals"
        pages={pages}
        rowsOf={(page) => page.rehearsals}
        keyOf={({ id }) => id}
        empty={
          <Empty title="Nothing was rehearsed yet">
            A rehearsal sends one real email and waits for the events that the provider reports. A verified rehearsal is
            one of the checks of the preflight.
          </Empty>
        }
        columns={[
          { title: 'To', cell: (row) => row.recipient_email },
          { title: 'State', cell: (row) => <StateBadge state={row.state} /> },
          { title: 'Arrived', cell: (row) => row.reconciliation.received.join(', ') || 'nothing' },
          { title: 'Missing', cell: (row) => row.reconciliation.missing.join(', ') || 'nothing' },
          {
            title: 'Problems',
            cell: (row) => (
              <Text size="sm">
                {[
                  row.reconciliation.failure_reason && inWords(row.reconciliation.failure_reason),
                  row.reconciliation.signature_failures > 0 &&
                    `${row.reconciliation.signature_failures} with a wrong signature`,
                ]
                  .filter(Boolean)
                  .join(', ') || '–'}
              </Text>
            ),
          },
          { title: 'Started', cell: (row) => <Moment at={row.created_at} /> },
        ]}
      />
    </Section>
  )
}
