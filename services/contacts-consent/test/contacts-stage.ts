import { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import { WorkspaceChangedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import type { Caller } from '@lettergate/service'
import { openStage, until } from '@lettergate/stage'
import { loadConfig } from '../src/config.ts'
import { schema } from '../src/db/migrations.ts'
import { start } from '../src/service.ts'

export const signingKey = `k1:${Buffer.alloc(32, 1).toString('base64url')}`
export const proofKey = `p1:${Buffer.alloc(32, 3).toString('base64url')}`
export const erasureKey = `e1:${Buffer.alloc(32, 5).toString('base64url')}`
export const baseUrl = 'http://lettergate.test'

/** The real service on a stage, with two live workspaces of different tenants. */
export async function openContacts(env: Record<string, string> = {}) {
  const stage = await openStage({ schemas: [schema] })
  const boot = (more: Record<string, string> = {}) =>
    stage.boot('contacts-consent', start, loadConfig, {
      BASE_URL: baseUrl,
      PREFERENCE_SIGNING_KEYS: signingKey,
      CONSENT_PROOF_SIGNING_KEY: proofKey,
      ERASURE_HASH_KEYS: erasureKey,
      ...env,
      ...more,
    })
  const app = await boot()
  const contacts = await stage.client(ContactsConsent, app.rpcPort)

  const announceWorkspace = (workspaceId: string, facts: { isArchived?: boolean; name?: string } = {}) =>
    stage.publish(
      'gateway',
      WorkspaceChangedSchema,
      {
        workspaceId,
        organization: 'acme',
        workspace: 'newsletter',
        name: 'Acme Newsletter',
        isArchived: false,
        ...facts,
      },
      { workspaceId },
    )
  const workspace = async () => {
    const workspaceId = newId()
    await announceWorkspace(workspaceId)
    await until(
      async () =>
        (await stage.query('select 1 from contacts.workspaces where workspace_id = $1', [workspaceId])).length > 0,
    )
    return workspaceId
  }
  const ours = await workspace()
  const theirs = await workspace()
  const as = (workspaceId: string, caller: Partial<Caller> = {}) => stage.caller({ workspaceId, ...caller })
  const us = as(ours)
  const them = as(theirs)
  let counter = 0

  return {
    stage,
    app,
    boot,
    contacts,
    ours,
    theirs,
    us,
    them,
    as,
    workspace,
    announceWorkspace,
    /** Announced facts of one kind of this service, oldest first, with their raw payload. */
    announced: (event: string) =>
      stage.query<{ payload: Buffer; workspace_id: string | null }>(
        'select payload, workspace_id from contacts.outbox where event = $1 order by id',
        [event],
      ),
    async contact(caller = us, email?: string) {
      counter += 1
      const { contact } = await contacts.upsertContact(caller, {
        email: email ?? `person${counter}@example.com`,
        source: 'test',
      })
      return contact!.id
    },
    async audience(caller = us, minimumIntervalSeconds = 0) {
      counter += 1
      const created = await contacts.createAudience(caller, {
        name: 'Monthly',
        slug: `monthly-${counter}`,
        purpose: 'monthly email',
        minimumIntervalSeconds,
      })
      return created.audience!.id
    },
    subscribe: (contactId: string, audienceId: string, caller = us) =>
      contacts.subscribeContact(caller, {
        contactId,
        audienceId,
        source: 'form',
        wordingVersion: 'v1',
        evidence: { ip: '192.0.2.1' },
      }),
    async reasons(contactId: string, audienceId: string, caller = us) {
      return (await contacts.getEligibility(caller, { contactId, audienceId })).eligibility!.reasons
    },
    erase: async (contactId: string, caller = us) =>
      (await contacts.eraseContact(caller, { contactId, confirmation: `ERASE ${contactId}` })).erasure!,
    events: (contactId: string) =>
      stage.query<Record<string, unknown>>(
        `select e.*, coalesce(d.details, '{}') || k.evidence as evidence from contacts.consent_events e
           left join contacts.consent_evidence k on k.workspace_id = e.workspace_id and k.event_id = e.id
           left join contacts.shared_details d on d.workspace_id = k.workspace_id and d.id = k.shared_id
          where e.contact_id = $1 order by e.id`,
        [contactId],
      ),
    suppressions: (contactId: string) =>
      stage.query<{ id: string; scope: string; reason: string; audience_id: string | null; resolved_at: Date | null }>(
        'select * from contacts.suppressions where contact_id = $1 order by id',
        [contactId],
      ),
    resolve: (suppressionId: string) =>
      stage.query(
        "update contacts.suppressions set resolved_at = now(), resolved_by = 'test', resolution_reason = 'test' where id = $1",
        [suppressionId],
      ),
    close: () => stage.close(),
  }
}

export type ContactsStage = Awaited<ReturnType<typeof openContacts>>

/** An id that nothing has. */
export const unknownId = '00000000-0000-7000-8000-000000000000'
