import { Text } from '@mantine/core'
import { ActButton } from '../../dialogs/act-button.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Section } from '../../parts/section.tsx'
import { useAnswer } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'

/** Whether the webhook gets events about people too. */
export function PersonEvents() {
  const { name, console, may } = useWorkspace()
  const answer = useAnswer([name, 'person-events'], (options) => console.getCampaignWebhookPersonEvents({}, options))
  const set = (enabled: boolean) => console.setCampaignWebhookPersonEvents({ body: { enabled } })
  const isOn = answer.data?.enabled
  const act = !may('manage_senders') ? null : isOn === true ? (
    <ActButton
      label="Turn off"
      title="Post no events about people?"
      act="Turn them off"
      consequences={['Your program learns of bounces, complaints and consent only from the API.']}
      run={() => set(false)}
    />
  ) : isOn === false ? (
    <ActButton
      label="Turn on"
      title="Post events about people?"
      act="Turn them on"
      consequences={[
        'An event is posted for each bounce, complaint, unsubscription and change of consent from now on.',
        'It has ids and no address.',
      ]}
      run={() => set(true)}
    />
  ) : null
  return (
    <Section title="Events about people" actions={act}>
      <Loaded answer={answer}>
        {({ enabled }) => (
          <Text size="sm">{enabled ? 'Posted, beside the events of runs.' : 'Not posted. Only runs have events.'}</Text>
        )}
      </Loaded>
    </Section>
  )
}
