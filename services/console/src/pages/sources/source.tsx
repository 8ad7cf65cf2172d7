import type { Source } from '@lettergate/client/console'
import { Code, Group, Text } from '@mantine/core'
import { useParams } from 'wouter'
import { ActButton } from '../../dialogs/act-button.tsx'
import { Copied, CopyButton } from '../../parts/copy-button.tsx'
import { PageLink } from '../../parts/link.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Page } from '../../parts/page.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { ReadNotices } from '../../parts/read-notices.tsx'
import { Facts, Section } from '../../parts/section.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { explained } from '../../parts/explanations.ts'
import { RoleNote } from '../../session/role-note.tsx'
import { useShownOnce } from '../../session/shown-once.tsx'
import { useAnswer, usePages } from '../../session/use-answer.ts'
import { useAudienceNames } from '../../session/use-audience-names.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { Confirmation } from './confirmation.tsx'
import { Credential, CredentialActs } from './credential.tsx'
import { CredentialOnce } from './credential-once.tsx'
import { codeSampleOf } from './code-sample.ts'

/** One source: where it may come from, its credential, and what it submitted lately. */
export default function SourcePage() {
  const { slug } = useParams<{ slug: string }>()
  const { name, api, may } = useWorkspace()
  const mayManage = may('manage_subscription_sources')
  const [credential, showCredential] = useShownOnce<string>(() => ({
    text: `The new credential of ${slug} was not shown, because you left its page. Rotate it to get another one.`,
  }))
  const answer = useAnswer([name, 'sources'], (options) => api.listSubscriptionSources({}, options), {
    enabled: mayManage,
  })
  const source = answer.data?.sources.find((one) => one.slug === slug)
  return (
    <Page
      title={source?.display_name ?? 'Source'}
      about={source && <StateBadge state={source.status} />}
      actions={source && <Acts source={source} onCredential={showCredential} />}
    >
      <RoleNote needs="manage_subscription_sources" isHidden />
      {mayManage && (
        <Loaded answer={answer}>
          {() =>
            source ? (
              <>
                {credential && (
                  <CredentialOnce source={source} credential={credential} onClose={() => showCredential(null)} />
                )}
                <About source={source} />
                <Confirmation slug={slug} />
                <Receipts slug={slug} />
              </>
            ) : (
              <Empty title="This source does not exist">
                <PageLink to="/sources">See the list of sources</PageLink>
              </Empty>
            )
          }
        </Loaded>
      )}
    </Page>
  )
}

function About({ source }: { source: Source }) {
  const { name } = useWorkspace()
  const { read: audiences, nameOf } = useAudienceNames()
  const sample = codeSampleOf(location.origin, name, source)
  return (
    <>
      <Section title="About">
        {!source.allows_all_audiences && <ReadNotices of={[audiences]} />}
        <Facts
          of={[
            ['Slug', <Copied key="slug" value={source.slug} of="the slug" />],
            ['Origins', source.allowed_origins.join(', ')],
            ['Audiences', source.allows_all_audiences ? 'All' : source.allowed_audience_ids.map(nameOf).join(', ')],
            ['Credential', <Credential key="credential" slug={source.slug} />],
            ['Id, for wallet grants', <Copied key="id" value={source.id} of="the id of the source" />],
          ]}
        />
      </Section>
      <Section title="How the server of the form submits" actions={<CopyButton value={sample} of="the code sample" />}>
        <Code block fz="xs" tabIndex={0} aria-label="Code sample">
          {sample}
        </Code>
      </Section>
    </>
  )
}

function Receipts({ slug }: { slug: string }) {
  const { name, console, may } = useWorkspace()
  const pages = usePages([name, 'receipts', slug], (page, options) =>
    console.listSourceReceipts({ ...page, source_slug: slug, limit: 50 }, options),
  )
  if (!may('manage_subscription_sources')) return null
  return (
    <Section title="Recent sign-ups" about="Each has exactly one receipt." isPlain>
      <PagedTable
        label="Receipts"
        pages={pages}
        rowsOf={(page) => page.receipts}
        keyOf={({ id }) => id}
        empty={<Empty title="Nothing was submitted yet">Use the code sample to send the first sign-up.</Empty>}
        columns={[
          { title: 'Received', cell: (row) => <Moment at={row.received_at} /> },
          { title: 'Result', cell: (row) => <StateBadge state={row.status} /> },
          {
            title: 'Why',
            cell: (row) => <Text size="sm">{row.reason_class ? explained(row.reason_class).means : '–'}</Text>,
          },
          {
            title: 'Contact',
            cell: (row) =>
              row.contact_id ? <PageLink to={`/contacts/${row.contact_id}`}>See the contact</PageLink> : 'deleted',
          },
          { title: 'Form', cell: (row) => `${row.form_id}, version ${row.form_version}` },
          { title: 'Page', cell: (row) => `${row.page_origin}${row.page_path ?? ''}` },
        ]}
      />
    </Section>
  )
}

function Acts({ source, onCredential }: { source: Source; onCredential: (credential: string) => void }) {
  const { api, console, may } = useWorkspace()
  const source_slug = source.slug
  if (!may('manage_subscription_sources')) return null
  const setStatus = (status: Source['status']) => console.setSourceStatus({ source_slug, body: { status } })
  return (
    <Group gap="xs">
      <ActButton
        label="Origins"
        title="Allowed origins"
        act="Replace them"
        consequences={['A page of another origin is refused at once.']}
        fields={{ allowed_origins: { kind: 'tags', label: 'Origins', initial: source.allowed_origins } }}
        run={(body) => api.replaceSubscriptionSourceOrigins({ source_slug, body })}
      />
      {source.status !== 'revoked' && <CredentialActs source={source} onCredential={onCredential} />}
      {source.status === 'active' && (
        <ActButton
          label="Suspend"
          title={`Suspend ${source.display_name}?`}
          act="Suspend it"
          isDangerous
          consequences={['Every sign-up is refused until it is active again.']}
          run={() => setStatus('suspended')}
        />
      )}
      {source.status !== 'revoked' && (
        <ActButton
          label="Revoke"
          title={`Revoke ${source.display_name}?`}
          act="Revoke the source"
          isDangerous
          consequences={[
            'Every sign-up is refused, with its credential and with grants of the wallet.',
            'What it submitted before stays. It can be activated again.',
          ]}
          run={() => setStatus('revoked')}
        />
      )}
      {source.status !== 'active' && (
        <ActButton
          label="Activate"
          title={`Activate ${source.display_name}?`}
          act="Activate it"
          consequences={['Sign-ups are accepted again.']}
          run={() => setStatus('active')}
        />
      )}
    </Group>
  )
}
