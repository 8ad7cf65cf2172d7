import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { MessageAcceptedSchema, MessageSettledSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import type { ContactsStage } from '../contacts-stage.ts'
import { event, newSource } from '../source-stage.ts'
import type { ContactFact, Fact, Grade, WorldFact } from './reference-model.ts'

const evidences: Record<NonNullable<Grade>, object> = {
  documented: { captured_at: '2019-05-01', source: 'fair', wording: 'yes' },
  partial: { source: 'fair' },
  undocumented: {},
}

export interface RunningWorld {
  us: ContactsStage['us']
  /** the id of each contact; of a deleted one its last */
  contacts: string[]
  audiences: string[]
  /** Makes one fact true. Answers the ids of events that have yet to arrive. */
  happen(fact: Fact): Promise<string[]>
  /** Waits until these events have had their effect. */
  arrived(events: readonly string[]): Promise<void>
}

/** A fresh workspace in which facts are made true through the service's operations and consumers. */
export async function newWorld(
  s: ContactsStage,
  size: { contacts: number; intervals: readonly number[] },
): Promise<RunningWorld> {
  const workspaceId = await s.workspace()
  const us = s.as(workspaceId)
  const administrator = s.as(workspaceId, { platformRole: 'administrator' })
  const mark = newId()
  const emailOf = (n: number) => `${mark}.${n}@example.com`
  const contacts = await Promise.all(Array.from({ length: size.contacts }, (_, n) => s.contact(us, emailOf(n))))
  const audiences = await Promise.all(size.intervals.map((seconds) => s.audience(us, seconds)))

  const source = await newSource(s, { caller: us, allowsAllAudiences: true })

  async function resolve(
    caller: ContactsStage['us'],
    contactId: string,
    isMeant: (one: { scope: string; audience_id: string | null; reason: string }) => boolean,
  ) {
    const standing = await s.suppressions(contactId)
    for (const { id } of standing.filter((one) => one.resolved_at === null && isMeant(one))) {
      await s.contacts.resolveSuppression(caller, { suppressionId: id, resolutionReason: 'test' })
    }
  }
  const settled = (contactId: string, fact: string, audienceId = newId()) =>
    s.stage.publish(
      'campaigns-delivery',
      MessageSettledSchema,
      { messages: [{ messageId: newId(), runId: newId(), contactId, audienceId, fact, providerEventId: newId() }] },
      { workspaceId },
    )
  async function useLink(contactId: string, audienceId?: string) {
    const ask = audienceId === undefined ? { scope: 'workspace' } : { scope: 'audience', audienceId }
    const { preferenceUrl } = await s.contacts.createPreferenceToken(us, { contactId, ...ask })
    const token = preferenceUrl.split('/').at(-1)!
    await s.contacts.usePreferenceLink(s.stage.caller({}), { token, via: 'one_click' })
  }

  async function happenToContact(fact: ContactFact): Promise<string[] | void> {
    const contactId = contacts[fact.contact]!
    const audienceId = 'audience' in fact ? audiences[fact.audience]! : ''
    switch (fact.is) {
      case 'subscribed':
        return void (await s.subscribe(contactId, audienceId, us))
      case 'unsubscribed':
        if (fact.by === 'provider') return [await settled(contactId, 'unsubscribed', audienceId)]
        if (fact.by === 'link') return useLink(contactId, audienceId)
        return void (await s.contacts.unsubscribeContact(us, { contactId, audienceId }))
      case 'left the workspace':
        return useLink(contactId)
      case 'bounced':
        return [await settled(contactId, 'hard_bounced')]
      case 'complained':
        return [await settled(contactId, 'complained')]
      case 'suppressed': {
        const { scope, reason } = fact
        const scoped = scope === 'audience' ? { audienceId } : {}
        return void (await s.contacts.suppressContact(us, { contactId, scope, reason, ...scoped }))
      }
      case 'resolved':
        return resolve(
          administrator,
          contactId,
          (one) =>
            (fact.scope === 'every' || fact.scope === one.scope) &&
            (fact.scope !== 'audience' || one.audience_id === audienceId) &&
            (fact.reason === 'every' || fact.reason === one.reason),
        )
      case 'suppressed elsewhere': {
        const there = await s.contact(s.them, emailOf(fact.contact))
        return void (await s.contacts.suppressContact(s.them, { contactId: there, scope: 'platform', reason: 'legal' }))
      }
      case 'resolved elsewhere': {
        const there = await s.contact(s.them, emailOf(fact.contact))
        return resolve(s.as(s.theirs, { platformRole: 'owner' }), there, () => true)
      }
      case 'handed off': {
        const acceptedAt = timestampFromDate(new Date(Date.now() - fact.secondsAgo * 1_000))
        const recipients = [{ messageId: newId(), contactId, audienceId }]
        const handOff = { runId: newId(), acceptedAt, recipients }
        return [await s.stage.publish('campaigns-delivery', MessageAcceptedSchema, handOff, { workspaceId })]
      }
      case 'classified': {
        const legacy =
          fact.grade === null
            ? { isLegacy: false }
            : { isLegacy: true, legacyConsentEvidence: evidences[fact.grade] as never }
        return void (await s.contacts.upsertContact(us, { email: emailOf(fact.contact), source: 'test', ...legacy }))
      }
      case 'deleted':
        return void (await s.contacts.deleteContact(us, { contactId }))
      case 'created':
        return void (contacts[fact.contact] = await s.contact(us, emailOf(fact.contact)))
      case 'handed in by a source': {
        const capturedAt = timestampFromDate(new Date(Date.now() + (fact.isOld ? -2 * 86_400_000 : 1_000)))
        return void (await source.ingest(event(audienceId, { contact: { email: emailOf(fact.contact) }, capturedAt })))
      }
      // No operation ends a membership alone.
      case 'removed from the audience':
        return void (await s.stage.query(
          'update contacts.memberships set is_active = false where workspace_id = $1 and contact_id = $2 and audience_id = $3',
          [workspaceId, contactId, audienceId],
        ))
    }
  }

  async function happenToWorld(fact: WorldFact): Promise<void> {
    switch (fact.is) {
      case 'audience archived':
        return void (await s.contacts.archiveAudience(us, { audienceId: audiences[fact.audience]! }))
      case 'workspace archived': {
        const { archived } = fact
        await s.announceWorkspace(workspaceId, { isArchived: archived })
        const heard = `select 1 from contacts.workspaces where workspace_id = $1 and is_archived = $2`
        return void (await until(async () => (await s.stage.query(heard, [workspaceId, archived])).length > 0, {
          everyMs: 2,
        }))
      }
      // Hand-offs lie further back than before.
      case 'time passed':
        return void (await s.stage.query(
          'update contacts.memberships set last_handed_off_at = last_handed_off_at - make_interval(secs => $2) where workspace_id = $1',
          [workspaceId, fact.seconds],
        ))
    }
  }

  return {
    us,
    contacts,
    audiences,
    happen: async (fact) => ('contact' in fact ? await happenToContact(fact) : await happenToWorld(fact)) ?? [],
    async arrived(events) {
      if (events.length === 0) return
      const handled = 'select count(distinct event_id)::int as count from contacts.inbox where event_id = any($1)'
      const isHandled = async () =>
        (await s.stage.query<{ count: number }>(handled, [events]))[0]!.count === events.length
      await until(isHandled, { everyMs: 10, what: 'the events of a round' })
    },
  }
}
