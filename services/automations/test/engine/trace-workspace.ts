import { newId } from '@lettergate/database'
import type { CallScope } from '@lettergate/service'
import type { RuntimeStage } from '../runtime-stage.ts'
import type { Compared } from './compare-trace.ts'

export const rehearsal = 'rehearsal-1'

export interface TraceWorkspaces {
  readonly query: Compared['query']
  /** a caller in this workspace */
  readonly caller: (workspaceId: string) => CallScope
  readonly content: RuntimeStage['content']
  readonly sender: RuntimeStage['sender']
}

/** A new workspace for rehearsals with an audience, a tag, content, a sender, and these contacts, who are synthetic. */
export async function openTraceWorkspace({ query, ...make }: TraceWorkspaces, contactIds: readonly string[]) {
  const [workspaceId, audienceId, tagId] = [newId(), newId(), newId()]
  const caller = make.caller(workspaceId)
  await query(
    `with o as (
       insert into identity.organizations (id, slug, name) values ($1::uuid, $1::text, 'O') returning id)
     insert into identity.workspaces (id, organization_id, slug, name, is_archived) select id, id, 'synthetic-w', 'W', true from o`,
    [workspaceId],
  )
  await query(
    `with w as (insert into contacts.workspaces values ($1::uuid, 'o', 'w', 'W', false, now())),
       t as (insert into contacts.tags (workspace_id, id, name) values ($1::uuid, $4, 'model')),
       a as (insert into contacts.audiences (workspace_id, id, name, slug, purpose) values ($1::uuid, $2, 'A', 'a', 'p')),
       c as (
         insert into contacts.contacts (workspace_id, id, email, normalized_email)
         select $1::uuid, id, id || '@a.invalid', id || '@a.invalid' from unnest($3::uuid[]) id returning id)
     insert into contacts.contact_provenance (workspace_id, contact_id, id, source, source_metadata, actor, actor_kind, correlation_id, is_creation)
     select $1::uuid, id, id, 'model', jsonb_build_object('synthetic_context_id', $5::text), 'model', 'service', 'c', true from c`,
    [workspaceId, audienceId, contactIds, tagId, rehearsal],
  )
  const contentVersionId = await make.content(caller)
  const senderIdentityId = await make.sender(caller)
  return { workspaceId, audienceId, tagId, tag: 'model', contentVersionId, senderIdentityId }
}
