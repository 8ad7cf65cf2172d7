import { List, Text } from '@mantine/core'
import { useParams } from 'wouter'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { Section } from '../../parts/section.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { inWords } from '../../parts/words.ts'
import { useAnswer } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'

/** How far the erasure of a person is, in each service. */
export default function ErasurePage() {
  const { id } = useParams<{ id: string }>()
  const { name, console } = useWorkspace()
  const answer = useAnswer([name, 'erasure', id], (options) => console.getErasure({ erasure_id: id }, options), {
    everyMs: 2_000,
  })
  return (
    <Page title="Erasure of a person" about="Keep this address: it is the evidence that the data was removed.">
      <Loaded answer={answer}>
        {({ erasure }) => (
          <>
            <Text>
              <StateBadge state={erasure.state} /> requested by {erasure.requested_by},{' '}
              <Moment at={erasure.requested_at} />
              {erasure.completed_at && (
                <>
                  , completed <Moment at={erasure.completed_at} />
                </>
              )}
            </Text>
            {erasure.services.map((service) => (
              <Section
                key={service.service}
                title={inWords(service.service)}
                actions={<StateBadge state={service.state} />}
              >
                <List size="sm">
                  {Object.entries(service.removed).map(([kind, count]) => (
                    <List.Item key={kind}>
                      {inWords(kind)}: {count.toLocaleString('en')}
                    </List.Item>
                  ))}
                </List>
              </Section>
            ))}
          </>
        )}
      </Loaded>
    </Page>
  )
}
