import type { CampaignRun } from '@lettergate/client'
import { Text } from '@mantine/core'
import { ActButton } from '../../dialogs/act-button.tsx'
import { PageLink } from '../../parts/link.tsx'
import { ReadNotices } from '../../parts/read-notices.tsx'
import { Section } from '../../parts/section.tsx'
import { RoleNote } from '../../session/role-note.tsx'
import { useAnswer } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { isLive } from './live-run.ts'
import { resendInWords } from './resend-words.ts'
import { reportEveryMs } from './use-read-with-report.ts'

const phrase = 'SEND UNKNOWN AGAIN: PEOPLE MAY GET IT TWICE'

/** The emails that the provider may or may not have, and the form that sends them again, also from another sender. */
export function UnknownRecipients({ run, unknown, isOver }: { run: CampaignRun; unknown: number; isOver: boolean }) {
  const { name, api, console, may } = useWorkspace()
  const resentBy = run.resent_by_run_id
  const resend = useAnswer(
    [name, 'run', resentBy],
    (options) => api.getCampaignRunReport({ run_id: resentBy ?? '' }, options),
    { enabled: resentBy !== null, everyMs: reportEveryMs },
  )
  const newest = resend.data
  const newestState = newest?.campaign_run.state
  // Numbers that were read before the resend ended may count recipients that it did not reach.
  const isCounted = isOver && (resentBy === null ? unknown > 0 : newest !== undefined)
  const numbers = useAnswer(
    [name, 'run-unknown', run.id, resentBy, newestState],
    (options) => console.getCampaignRunUnknown({ run_id: run.id }, options),
    { enabled: isCounted, everyMs: 10_000 },
  )
  const resendable = numbers.data?.resendable ?? 0
  const isUnderWay = newestState !== undefined && isLive(newestState)
  const isResendable = isOver && resendable > 0 && !isUnderWay
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
      {resentBy && (
        <Text size="sm">
          {newest && `${resendInWords(newest, numbers.data)} `}
          <PageLink to={`/runs/${resentBy}`}>See that run</PageLink>.
        </Text>
      )}
      <ReadNotices of={[...(resentBy === null ? [] : [resend]), ...(isCounted ? [numbers] : [])]} />
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
                read: senders,
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
