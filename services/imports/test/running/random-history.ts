import type { CallScope } from '@lettergate/service'
import fc from 'fast-check'
import { newPerson, spelled, type RandomPerson, type Spelling } from './random-person.ts'
import type { RunningStage } from './running-stage.ts'

/** What can have happened to a person, in a workspace with two audiences. What stands twice happens more often. */
const actions = [
  'is added',
  'subscribes',
  'subscribes',
  'subscribes',
  'leaves',
  'leaves the workspace',
  'is suppressed in the audience',
  'is suppressed in the workspace',
  'is suppressed on the platform',
  'is suppressed on the platform by others',
  'is erased',
  'is erased by others after a suppression on the platform',
  'is erased, comes back and is deleted',
  'is erased, comes back and is deleted',
  'is deleted',
  'has suppressions resolved',
  'returns',
  'is a legacy contact',
] as const
type Action = (typeof actions)[number]

/** One thing that happens to one person. */
export interface Happening {
  readonly action: Action
  readonly person: number
  readonly audience: number
  readonly spelling: Spelling
}

export const peopleCount = 7

export const spelling = (spaces: fc.Arbitrary<string>): fc.Arbitrary<Spelling> =>
  fc.record({ isUpperCase: fc.boolean(), domain: fc.nat(3), spaces })

export const history = (most: number): fc.Arbitrary<Happening[]> =>
  fc.array(
    fc.record({
      action: fc.constantFrom(...actions),
      person: fc.nat(peopleCount - 1),
      audience: fc.nat(1),
      spelling: spelling(fc.constant('')),
    }),
    { maxLength: most, size: 'max' },
  )

/** What the service says of a person. */
export interface PersonState {
  /** the reasons against mailing by audience; undefined for a person who is no contact */
  readonly reasons: readonly (readonly string[] | undefined)[]
  /** how often consent was recorded, also for a review */
  readonly consents: number
}

export type RandomPeople = Awaited<ReturnType<typeof openPeople>>

/** Some people without a history, and two audiences. `others` is a workspace of another tenant. */
export async function openPeople(
  { contacts, stage, audience }: RunningStage,
  { as, others, name }: { as: CallScope; others: CallScope; name: string },
) {
  const audienceIds = [await audience(as), await audience(as)]
  const { workspaceId } = as.caller
  const people = Array.from({ length: peopleCount }, (_, n) => newPerson(name, n))
  const addresses = people.map((person) => person.address)
  const suppress = (contactId: string, scope: string, more: object = {}, scopeOf = as) =>
    contacts.suppressContact(scopeOf, { contactId, scope, reason: 'manual', ...more })

  const idOf = async (person: RandomPerson): Promise<string | undefined> => {
    const found = await stage.query<{ id: string }>(
      'select id from contacts.contacts where workspace_id = $1 and normalized_email = $2',
      [workspaceId, person.address],
    )
    return found[0]?.id
  }
  async function contactOf(person: RandomPerson, spelling: Spelling, scope = as): Promise<string> {
    const { contact } = await contacts.upsertContact(scope, { email: spelled(person, spelling), source: 'crm' })
    if (scope === as) person.contactIds.add(contact!.id)
    return contact!.id
  }
  async function suppressByOthers(person: RandomPerson, spelling: Spelling): Promise<string> {
    const contactId = await contactOf(person, spelling, others)
    await suppress(contactId, 'platform', {}, others)
    person.isPlatformSuppressed = true
    return contactId
  }
  async function subscribe(person: RandomPerson, audienceOf: number, spelling: Spelling): Promise<void> {
    const contactId = await contactOf(person, spelling)
    const request = { contactId, audienceId: audienceIds[audienceOf]!, source: 'form', wordingVersion: 'v1' }
    const isSubscribed = await contacts.subscribeContact(as, request).then(
      () => true,
      (error: { code: string }) => {
        if (error.code === 'failed_precondition') return false
        throw error
      },
    )
    if (!isSubscribed) return
    person.hasWithdrawn[audienceOf] = false
    person.hasSubscribedSince[audienceOf] = true
  }
  async function resolve(person: RandomPerson): Promise<void> {
    // Of all contacts, also of erased ones. Only an administrator of the platform resolves suppressions of the platform.
    const unresolved = await stage.query<{ id: string }>(
      `select id from contacts.suppressions
        where workspace_id = $1 and contact_id = any($2) and resolved_at is null and scope <> 'platform'`,
      [workspaceId, [...person.contactIds, await idOf(person)]],
    )
    for (const { id } of unresolved)
      await contacts.resolveSuppression(as, { suppressionId: id, resolutionReason: 'the person asked' })
    person.isWorkspaceSuppressed = false
    person.isAudienceSuppressed.fill(false)
  }

  async function erase(person: RandomPerson, spelling: Spelling): Promise<void> {
    const contactId = await contactOf(person, spelling)
    await contacts.eraseContact(as, { contactId, confirmation: `ERASE ${contactId}` })
    person.isErased = true
    person.isWorkspaceSuppressed = true
    person.isUnverifiedLegacy = false
    person.hasSubscribedSince.fill(false)
  }
  /** Only a contact that was never suppressed is deleted. */
  async function remove(person: RandomPerson): Promise<void> {
    const contactId = await idOf(person)
    if (contactId === undefined) return
    const isDeleted = await contacts.deleteContact(as, { contactId }).then(
      () => true,
      (error: { reason: string }) => {
        if (error.reason === 'contact_suppressed') return false
        throw error
      },
    )
    if (!isDeleted) return
    person.isUnverifiedLegacy = false
    person.hasSubscribedSince.fill(false)
    person.wasDeletedAfterErasure = person.isErased
  }

  const apply: Record<Action, (person: RandomPerson, audience: number, spelling: Spelling) => Promise<unknown>> = {
    'is added': (person, _, spelling) => contactOf(person, spelling),
    subscribes: subscribe,
    leaves: async (person, of, spelling) => {
      const contactId = await contactOf(person, spelling)
      await contacts.unsubscribeContact(as, { contactId, audienceId: audienceIds[of]! })
      person.isAudienceSuppressed[of] = true
      person.hasWithdrawn[of] = true
    },
    'leaves the workspace': async (person, _, spelling) => {
      const contactId = await contactOf(person, spelling)
      const { preferenceUrl } = await contacts.createPreferenceToken(as, { contactId, scope: 'workspace' })
      const nobody = stage.caller({ workspaceId: null, role: null })
      await contacts.usePreferenceLink(nobody, { token: preferenceUrl.split('/preferences/')[1]!, via: 'one_click' })
      person.isWorkspaceSuppressed = true
      person.hasWithdrawn.fill(true)
    },
    'is suppressed in the audience': async (person, of, spelling) => {
      await suppress(await contactOf(person, spelling), 'audience', { audienceId: audienceIds[of]! })
      person.isAudienceSuppressed[of] = true
    },
    'is suppressed in the workspace': async (person, _, spelling) => {
      await suppress(await contactOf(person, spelling), 'workspace')
      person.isWorkspaceSuppressed = true
    },
    'is suppressed on the platform': async (person, _, spelling) => {
      await suppress(await contactOf(person, spelling), 'platform')
      person.isPlatformSuppressed = true
    },
    'is suppressed on the platform by others': (person, _, spelling) => suppressByOthers(person, spelling),
    'is erased': (person, _, spelling) => erase(person, spelling),
    'is erased, comes back and is deleted': async (person, _, spelling) => {
      await erase(person, spelling)
      await resolve(person)
      await contactOf(person, spelling)
      await remove(person)
    },
    'is deleted': (person) => remove(person),
    'is erased by others after a suppression on the platform': async (person, _, spelling) => {
      const contactId = await suppressByOthers(person, spelling)
      await contacts.eraseContact(others, { contactId, confirmation: `ERASE ${contactId}` })
    },
    'has suppressions resolved': resolve,
    returns: async (person, of, spelling) => {
      await resolve(person)
      await subscribe(person, of, spelling)
    },
    'is a legacy contact': async (person, _, spelling) => {
      if (await idOf(person)) return
      await contacts.upsertContact(as, { email: spelled(person, spelling), source: 'crm', isLegacy: true })
      person.isUnverifiedLegacy = true
    },
  }

  return {
    people,
    audienceIds,
    /** Makes these things happen, one after the other. */
    async live(happenings: readonly Happening[]): Promise<void> {
      for (const { action, person, audience: of, spelling } of happenings)
        await apply[action](people[person]!, of, spelling)
    },
    /** What the service says of each person now. */
    async states(): Promise<PersonState[]> {
      const found = await stage.query<{ id: string; normalized_email: string; consents: number }>(
        `select c.id, c.normalized_email, (select count(*)::int from contacts.consent_events e
                  where e.workspace_id = c.workspace_id and e.contact_id = c.id and e.kind = 'granted') as consents
           from contacts.contacts c where c.workspace_id = $1 and c.normalized_email = any($2)`,
        [workspaceId, addresses],
      )
      const contactsOf = new Map(found.map((contact) => [contact.normalized_email, contact]))
      const asked = people.flatMap(({ address }, person) =>
        audienceIds.flatMap((audienceId, of) => {
          const contactId = contactsOf.get(address)?.id
          return contactId === undefined ? [] : [{ person, of, contactId, audienceId }]
        }),
      )
      const { recipients } = await contacts.prepareRecipients(as, {
        recipients: asked.map(({ contactId, audienceId }) => ({ contactId, audienceId })),
      })
      const reasons = people.map((): PersonState['reasons'][number][] => [undefined, undefined])
      for (const [index, { person, of }] of asked.entries()) reasons[person]![of] = recipients[index]!.reasons
      return people.map(({ address }, n) => ({
        reasons: reasons[n]!,
        consents: contactsOf.get(address)?.consents ?? 0,
      }))
    },
  }
}
