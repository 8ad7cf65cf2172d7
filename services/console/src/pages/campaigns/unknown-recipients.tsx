import type { CampaignRun } from '@lettergate/client'
import type { CampaignRunUnknownResponse } from '@lettergate/client/console'
import { Text } from '@mantine/core'
import { ActButton } from '../../dialogs/act-button.tsx'
import { PageLink } from '../../parts/link.tsx'
import { Section } from '../../parts/section.tsx'
import { RoleNote } from '../../session/role-note.tsx'
import { useAnswer } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'

const phrase = 'SEND UNKNOWN AGAIN: PEOPLE MAY GET IT TWICE'

/** Tells what the resends of a run reached. A resend that was cancelled may have reached nobody. */
function resentWords({ resendable, resent }: CampaignRunUnknownResponse): string {
  if (resent === 0) return 'None of them was sent again yet.'
  return resendable === 0 ? 'They were sent again.' : 'Some of them were sent again.'
}

/** The emails that the provider may or may not have, and the form that sends them again, also from another sender. */
export function UnknownRecipients({ run, unknown, isOver }: { run: CampaignRun; unknown: number; isOver: boolean }) {
  const { name, console, may } = useWorkspace()
  const { data } = useAnswer(
    [name, 'run-unknown', run.id],
    (options) => console.getCampaignRunUnknown({ run_id: run.id }, options),
    { enabled: isOver && (unknown > 0 || run.resent_by_run_id !== null), everyMs: 10_000 },
  )
  const resendable = data?.resendable ?? 0
  const isResendable = isOver && resendable > 0
  const mayResend = isResendable && may('schedule_campaign')
  const senders = useAnswer([name, 'senders'], (options) => console.listSenderIdentities({}, options), {
    enabled: mayResend,
  })
  if (unknown === 0 && !run.resent_by_run_id && !run.resends_run_id) return null
  return (
    <Section title="Unknown" about="The provider may have these emails. They are never sent again by themselves.">
      {run.resends_run_id && (
        <Text size="sm">
          This run sends the unknown of <PageLink to={`/runs/${run.resends_run_id}`}>another run</PageLink> again.
        </Text>
      )}
      {run.resent_by_run_id && (
        <Text size="sm">
          {data && `${resentWords(data)} `}
          <PageLink to={`/runs/${run.resent_by_run_id}`}>See the newest run that sends them again</PageLink>.
        </Text>
      )}
      {isResendable && <RoleNote needs="schedule_campaign" cannot="send the unknown again" />}
      {mayResend && (
        <div>
          <ActButton
            label="Send them again"
            title="Send the unknown again?"
            act="Send again"
            isDangerous
            consequences={[
              'People may get the email twice: the provider may have sent it already.',
              'Look for these emails in the log of the provider first.',
              'A new run begins now. Everybody is checked again; this run does not change.',
            ]}
            phrase={phrase}
            fields={{
              count: {
                kind: 'number',
                label: 'Number of recipients',
                about: 'Those whose email is unknown and was not sent again yet.',
                initial: String(resendable),
              },
              sender: {
                kind: 'choice',
                label: 'Another sender',
                about: 'Needed if the sender of this run cannot send any more. Empty keeps that sender.',
                isRequired: false,
                choices: (senders.data?.sender_identities ?? [])
                  .filter((one) => one.is_enabled)
                  .map((one) => ({ value: one.id, label: `${one.display_name} <${one.from_address}>` })),
              },
            }}
            run={({ count, sender }, idempotency_key) =>
              console.resendCampaignRunUnknown({
                run_id: run.id,
                idempotency_key,
                body: { confirmation: phrase, count: Number(count), ...(sender ? { sender_identity_id: sender } : {}) },
              })
            }
            goesTo={({ campaign_run }) => `/runs/${campaign_run.id}`}
          />
        </div>
      )}
    </Section>
  )
}
