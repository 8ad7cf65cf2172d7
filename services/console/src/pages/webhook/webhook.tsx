import type { CampaignWebhookResponse } from '@lettergate/client'
import type { CampaignWebhookDelivery } from '@lettergate/client/console'
import { Alert } from '@mantine/core'
import { ActButton } from '../../dialogs/act-button.tsx'
import { PageLink } from '../../parts/link.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Page } from '../../parts/page.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { Facts, Section } from '../../parts/section.tsx'
import { ShownOnce, useShownOnce } from '../../session/shown-once.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { counted, inWords } from '../../parts/words.ts'
import { RoleNote } from '../../session/role-note.tsx'
import { useAnswer, usePages } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { newSecret } from './new-secret.ts'
import { PersonEvents } from './person-events.tsx'

type Webhook = CampaignWebhookResponse['campaign_webhook']

/** Where the events of campaign runs go, and whether they arrive. */
export default function WebhookPage() {
  const { name, api } = useWorkspace()
  const [secret, showSecret] = useShownOnce<string>(() => ({
    text: 'The new secret of the webhook was not shown, because you left its page. Make another one.',
  }))
  const answer = useAnswer([name, 'webhook'], (options) => api.getCampaignWebhook({}, options))
  const webhook = answer.data?.campaign_webhook
  return (
    <Page
      title="Campaign webhook"
      about="A program of yours gets an event when a run is scheduled, starts, pauses, resumes or ends. Each event is signed as Standard Webhooks describes."
      actions={webhook && <Acts webhook={webhook} onSecret={showSecret} />}
    >
      <RoleNote needs="manage_senders" />
      <Loaded answer={answer}>
        {({ campaign_webhook: { url, secret_set } }) => (
          <>
            {secret && (
              <ShownOnce
                title="The secret of the webhook: copy it now"
                about="It is shown only this time. Your program checks the signature of each event with it. If it is lost, make a new one."
                value={secret}
                of="the secret"
                onClose={() => showSecret(null)}
              />
            )}
            <Section title="About">
              <Facts
                of={[
                  ['URL', url ?? 'not set'],
                  ['Secret', secret_set ? 'set' : 'not set'],
                ]}
              />
            </Section>
            <PersonEvents />
            <Deliveries isSet={url !== null} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Deliveries({ isSet }: { isSet: boolean }) {
  const { name, console } = useWorkspace()
  const pages = usePages([name, 'webhook-deliveries'], (page, options) =>
    console.listCampaignWebhookDeliveries({ ...page, limit: 50 }, options),
  )
  const state = pages.data?.pages[0]?.webhook_state
  return (
    <Section title="Deliveries" about="Newest first. A failed attempt is repeated for up to 24 hours." isPlain>
      {state?.disabled_at && (
        <Alert color="red" title="The webhook is disabled">
          {inWords(state.disabled_reason ?? 'unknown')}. No event is posted. Repair your program, then set the URL
          again.
        </Alert>
      )}
      <PagedTable
        label="Deliveries"
        pages={pages}
        rowsOf={(page) => page.deliveries}
        keyOf={({ id }) => id}
        empty={
          <Empty title="Nothing was posted yet">
            {isSet ? 'Post a test event, or schedule a campaign.' : 'Set the URL of your program first.'}
          </Empty>
        }
        columns={[
          { title: 'When', cell: (row) => <Moment at={row.occurred_at} /> },
          { title: 'Event', cell: (row) => inWords(row.type) },
          {
            title: 'Run',
            cell: (row) =>
              row.campaign_run_id ? <PageLink to={`/runs/${row.campaign_run_id}`}>See the run</PageLink> : '–',
          },
          { title: 'State', cell: (row) => <StateBadge state={row.state} /> },
          { title: 'Attempts', cell: lastAttempt },
          { title: 'Next attempt', cell: (row) => (row.next_attempt_at ? <Moment at={row.next_attempt_at} /> : '–') },
        ]}
      />
    </Section>
  )
}

function lastAttempt({ attempt_count, attempts, failure_reason }: CampaignWebhookDelivery): string {
  const last = attempts.at(-1)
  const found = last && (last.error ? inWords(last.error) : `status ${last.status} in ${last.duration_ms} ms`)
  const why = failure_reason && failure_reason !== last?.error ? inWords(failure_reason) : null
  return [counted(attempt_count, 'attempt'), found, why].filter(Boolean).join('; ')
}

function Acts({ webhook, onSecret }: { webhook: Webhook; onSecret: (secret: string) => void }) {
  const { api, console, may } = useWorkspace()
  if (!may('manage_senders')) return null
  /** Sets the webhook with a new secret, which is shown when it is stored. */
  const setWithSecret = async (body: { campaign_webhook_url?: string }) => {
    const secret = newSecret()
    const result = await api.setCampaignWebhook({ body: { ...body, campaign_webhook_secret: secret } })
    if (result.ok) onSecret(secret)
    return result
  }
  return (
    <>
      <ActButton
        label="Set the URL"
        act="Set it"
        consequences={[
          'Events that wait go to the new URL. A disabled webhook is enabled.',
          ...(webhook.secret_set ? [] : ['A secret is made too, and shown once.']),
        ]}
        fields={{
          campaign_webhook_url: {
            kind: 'text',
            label: 'URL',
            about: 'It must use https and be public, unless the deployment sets CAMPAIGN_WEBHOOK_ALLOW_PRIVATE.',
            initial: webhook.url ?? '',
          },
        }}
        run={async ({ campaign_webhook_url }) => {
          // Somebody may have removed the webhook with its secret since the dialog was opened.
          const now = await api.getCampaignWebhook({})
          if (!now.ok) return now
          return now.data.campaign_webhook.secret_set
            ? api.setCampaignWebhook({ body: { campaign_webhook_url } })
            : setWithSecret({ campaign_webhook_url })
        }}
      />
      {webhook.secret_set && (
        <ActButton
          label="New secret"
          title="Make a new secret?"
          act="Make it"
          isDangerous
          consequences={[
            'Events are signed with it at once: your program refuses them until it has the new one.',
            'It is shown once.',
          ]}
          run={() => setWithSecret({})}
        />
      )}
      {webhook.url && webhook.secret_set && (
        <ActButton
          label="Test"
          title="Post a test event?"
          act="Post it"
          consequences={['One signed event of the type campaign_webhook.test is posted now, once.']}
          run={() => console.testCampaignWebhook({})}
        />
      )}
      {webhook.url && (
        <ActButton
          label="Remove"
          title="Remove the webhook?"
          act="Remove it"
          isDangerous
          consequences={['No event is posted any more. Events that wait are dropped. The secret is removed too.']}
          run={() => api.setCampaignWebhook({ body: { campaign_webhook_url: null, campaign_webhook_secret: null } })}
        />
      )}
    </>
  )
}
