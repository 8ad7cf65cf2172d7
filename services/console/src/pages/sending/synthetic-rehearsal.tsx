import { Alert, Button, NumberInput, Text } from '@mantine/core'
import { useState } from 'react'
import { ActDialog } from '../../dialogs/act-button.tsx'
import { useFilter } from '../../parts/use-filter.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Section } from '../../parts/section.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { counted } from '../../parts/words.ts'
import { useAnswer } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { CapacityPicture } from './capacity-picture.tsx'

const failureOf = ({ failure }: { failure?: { message?: string } }) =>
  failure?.message ?? 'A number was not right: see what it showed.'

const [countMin, countMax] = [100, 10_000]

/** A run of many recipients who do not exist: how fast this installation is. Only for owners. */
export function SyntheticRehearsal() {
  const { api, me, workspace } = useWorkspace()
  const [runId] = useFilter('rehearsal')
  const [typed, setTyped] = useState<number | string>(1_000)
  const [isOpen, setOpen] = useState(false)
  const count = Number(typed)
  const isPossible = Number.isInteger(count) && count >= countMin && count <= countMax
  const phrase = `RUN ${count} SYNTHETIC REHEARSAL`
  if (me.user.platform_role !== 'owner' || workspace.role !== 'owner') return null
  return (
    <Section
      title="Rehearsal of capacity"
      about="100 to 10,000 recipients who do not exist go through the real code, without a call to the provider. Everything is rolled back; only the report stays."
    >
      <NumberInput
        label="Recipients"
        min={countMin}
        max={countMax}
        clampBehavior="none"
        thousandSeparator=","
        error={!isPossible && 'A whole number from 100 to 10,000.'}
        value={typed}
        onChange={setTyped}
        maw={200}
      />
      <div>
        <Button variant="default" size="compact-sm" disabled={!isPossible} onClick={() => setOpen(true)}>
          Rehearse the capacity
        </Button>
      </div>
      {isOpen && (
        <ActDialog
          label="Rehearse the capacity"
          act="Run it"
          consequences={['It uses up to one core of the database while it runs. No email is sent.']}
          phrase={phrase}
          run={(_, idempotency_key) =>
            api.createSyntheticRehearsal({ body: { idempotency_key, confirmation: phrase, recipient_count: count } })
          }
          goesTo={({ run }) => `/testing?rehearsal=${run.id}`}
          onClose={() => setOpen(false)}
        />
      )}
      {runId && <Result runId={runId} />}
    </Section>
  )
}

function Result({ runId }: { runId: string }) {
  const { name, api } = useWorkspace()
  const answer = useAnswer(
    [name, 'synthetic-rehearsal', runId],
    (options) => api.getSyntheticRehearsal({ run_id: runId }, options),
    { everyMs: 2_000 },
  )
  return (
    <Loaded answer={answer}>
      {({ run }) => (
        <>
          <Text size="sm" role="status">
            <StateBadge state={run.state} /> {counted(run.recipient_count, 'recipient')}
          </Text>
          {run.state === 'failed' && (
            <Alert color="red" title="The rehearsal failed">
              {failureOf(run.report)} {run.cleanup_verified && 'Everything was rolled back.'}
            </Alert>
          )}
          <CapacityPicture run={run} />
        </>
      )}
    </Loaded>
  )
}
