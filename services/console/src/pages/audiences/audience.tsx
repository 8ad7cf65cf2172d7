import type { CountedAudience } from '@lettergate/client/console'
import { useParams } from 'wouter'
import { ActButton } from '../../dialogs/act-button.tsx'
import { Copied } from '../../parts/copy-button.tsx'
import { spanOf } from '../../parts/duration.ts'
import { PageLink } from '../../parts/link.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Page } from '../../parts/page.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { Facts, Section } from '../../parts/section.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { sourceInWords } from '../../parts/words.ts'
import { RoleNote } from '../../session/role-note.tsx'
import { useAnswer, usePages } from '../../session/use-answer.ts'
import { useAudiences } from '../../session/use-lists.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { MembersOverTime } from './members-over-time.tsx'

/** One audience: what it is for, and who joined and left lately. */
export default function AudiencePage() {
  const { id } = useParams<{ id: string }>()
  const answer = useAudiences()
  const audience = answer.data?.audiences.find((one) => one.id === id)
  return (
    <Page
      title={audience?.name ?? 'Audience'}
      about={audience?.purpose}
      actions={audience && <Acts audience={audience} />}
    >
      <RoleNote needs="manage_audiences" />
      <Loaded answer={answer}>
        {() =>
          audience ? (
            <>
              <Section title="About">
                <Facts
                  of={[
                    ['State', <StateBadge key="state" state={audience.is_archived ? 'archived' : 'active'} />],
                    [
                      'Active members',
                      <PageLink key="members" to={`/contacts?audience_id=${id}&member_state=active`}>
                        {audience.active_member_count.toLocaleString('en')}
                      </PageLink>,
                    ],
                    ['At most one email to a person in', spanOf(audience.minimum_interval_seconds) || 'no limit'],
                    ['Created', <Moment key="at" at={audience.created_at} />],
                    ['Id, for sign-up forms', <Copied key="id" value={id} of="the id of the audience" />],
                  ]}
                />
              </Section>
              <MembersOverTime audienceId={id} />
              <Changes audienceId={id} />
            </>
          ) : (
            <NotListed audienceId={id} />
          )
        }
      </Loaded>
    </Page>
  )
}

/** What the service answers about an audience that the list does not have. Older answers about it do not count. */
function NotListed({ audienceId }: { audienceId: string }) {
  const { name, console } = useWorkspace()
  const answer = useAnswer([name, 'audience-not-listed', audienceId], (options) =>
    console.listAudienceMemberDays({ audience_id: audienceId }, options),
  )
  return (
    <Loaded answer={answer}>
      {() => <Empty title="This audience is not in the list yet">Reload the page.</Empty>}
    </Loaded>
  )
}

function Changes({ audienceId }: { audienceId: string }) {
  const { name, console } = useWorkspace()
  const pages = usePages([name, 'consent-events', audienceId], (page, options) =>
    console.listConsentEvents({ ...page, audience_id: audienceId, limit: 50 }, options),
  )
  return (
    <Section title="Who joined and left" about="The record of consent of this audience, newest first." isPlain>
      <PagedTable
        label="Changes of consent"
        pages={pages}
        rowsOf={(page) => page.consent_events}
        keyOf={({ id }) => id}
        empty={<Empty title="Nobody joined yet">Subscribe contacts, import a file, or connect a sign-up form.</Empty>}
        columns={[
          { title: 'When', cell: (event) => <Moment at={event.occurred_at} /> },
          {
            title: 'Contact',
            cell: (event) =>
              event.email ? <PageLink to={`/contacts/${event.contact_id}`}>{event.email}</PageLink> : 'deleted',
          },
          { title: 'What', cell: (event) => <StateBadge state={event.kind} /> },
          { title: 'From', cell: (event) => sourceInWords(event.source) },
          { title: 'Wording', cell: (event) => event.wording_version ?? '–' },
        ]}
      />
    </Section>
  )
}

function Acts({ audience }: { audience: CountedAudience }) {
  const { api, console, may } = useWorkspace()
  return (
    <>
      {may('upsert_contacts') && !audience.is_archived && (
        <ActButton
          label="Archive"
          title={`Archive ${audience.name}?`}
          act="Archive the audience"
          isDangerous
          consequences={[
            'Nothing more is sent to it, and nobody can subscribe. Its slug stays taken.',
            'Consent and history stay. An archived audience cannot be opened again.',
          ]}
          run={() => api.archiveAudience({ audience_id: audience.id })}
        />
      )}
      {may('manage_audiences') && (
        <ActButton
          label="Delete"
          title={`Delete ${audience.name}?`}
          act="Delete the audience"
          isDangerous
          consequences={[
            'The audience and its memberships are removed. The record of consent stays.',
            'It is refused while a campaign, an automation or a source uses it.',
          ]}
          run={() => console.deleteAudience({ audience_id: audience.id })}
          goesTo={() => '/audiences'}
          removes={audience.id}
        />
      )}
    </>
  )
}
