import type { JsonObject } from '@bufbuild/protobuf'
import type {
  DescribeAutomationContactsRequest,
  DescribeAutomationContactsResponseSchema,
} from '@lettergate/contracts/contacts/v1/automation_steps'
import { arrayOf, column, columns, listOf, nullable, sql, statement, type RowOf } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { isUuid } from '@lettergate/values/uuid'
import { Contact } from '../contacts/contact.entity.ts'
import type { Ctx } from '../ctx.ts'
import { mergedAmong } from '../tags/merged-tag.entity.ts'
import { bodyId } from '../values/ids.ts'
import { setMax } from './parse-steps.ts'

const textColumns = columns(
  Contact,
  'email',
  'first_name',
  'last_name',
  'company',
  'country_code',
  'locale',
  'timezone',
  'phone',
)
const ownColumns = { ...columns(Contact, 'id', 'normalized_email', 'custom_fields', 'score'), ...textColumns }
const contactColumns = {
  ...ownColumns,
  tag_ids: column.uuids(),
  tag_names: column.texts(),
  active_audience_ids: column.uuids(),
  synthetic_context_id: nullable(column.text()),
}
const selectContacts = statement('select-automation-contacts', contactColumns)

/** The contacts may be in as many versions, and a version names at most 200 tags. */
const tagIdsMax = setMax * 200

/** The contacts as they are now, in one statement. Contacts that do not exist are absent. */
export async function describeAutomationContacts(
  ctx: Ctx,
  req: DescribeAutomationContactsRequest,
): Promise<Reply<typeof DescribeAutomationContactsResponseSchema>> {
  const { workspaceId } = ctx
  const ids = [...new Set(req.contactIds.map((id) => bodyId('contact_ids', id)))]
  if (ids.length > setMax)
    throw new Fault('invalid_argument', 'contact_ids', `contact_ids: at most ${setMax} in a call. Send fewer.`)
  if (req.tagIds.length > tagIdsMax)
    throw new Fault('invalid_argument', 'tag_ids', `tag_ids: at most ${tagIdsMax} in a call. Send fewer.`)
  if (ids.length === 0) return { contacts: [] }
  const [found, mergedTags] = await ctx.tx(async (em) => [
    await selectContacts.rows(
      em,
      sql`select ${listOf(ownColumns, 'c')}, t.ids as tag_ids, t.names as tag_names,
                 array(select m.audience_id from memberships m
                         join audiences a on a.workspace_id = ${workspaceId} and a.id = m.audience_id
                        where m.workspace_id = ${workspaceId} and m.contact_id = c.id and m.is_active
                        order by a.archived_at is not null, coalesce(m.consent_changed_at, m.created_at) desc, m.audience_id desc)
                   as active_audience_ids,
                 case when c.normalized_email like '%.invalid' then (
                   select p.source_metadata ->> 'synthetic_context_id' from contact_provenance p
                    where p.workspace_id = ${workspaceId} and p.contact_id = c.id
                      and jsonb_typeof(p.source_metadata -> 'synthetic_context_id') = 'string'
                    order by p.id desc limit 1) end as synthetic_context_id
            from unnest(${arrayOf(ids)}::uuid[]) with ordinality as q (id, position)
           cross join lateral (select * from contacts k where k.workspace_id = ${workspaceId} and k.id = q.id limit 1) c
           cross join lateral (
                 select coalesce(array_agg(g.id order by k.position), '{}') as ids,
                        coalesce(array_agg(g.name order by k.position), '{}') as names
                   from contact_tags k join tags g on g.workspace_id = ${workspaceId} and g.id = k.tag_id
                  where k.workspace_id = ${workspaceId} and k.contact_id = c.id) t
           order by q.position`,
    ),
    req.tagIds.length === 0 ? [] : await mergedAmong(em, workspaceId, req.tagIds.filter(isUuid)),
  ])
  const isAsked = req.fields.length === 0 ? () => true : (name: string) => req.fields.includes(name)
  return { contacts: found.map((contact) => contactReply(contact, isAsked)), mergedTags }
}

function contactReply(contact: RowOf<typeof contactColumns>, isAsked: (field: string) => boolean) {
  const texts = (Object.keys(textColumns) as (keyof typeof textColumns)[]).map((name) => [name, contact[name]] as const)
  const custom = Object.entries(contact.custom_fields).map(([key, value]) => [`custom.${key}`, value] as const)
  const fields: JsonObject = Object.fromEntries(
    [...texts, ...custom].filter(([name, value]) => value !== null && isAsked(name)),
  )
  return {
    contactId: contact.id,
    normalizedEmail: contact.normalized_email,
    fields,
    tags: contact.tag_ids.map((id, index) => ({ id, name: contact.tag_names[index]! })),
    activeAudienceIds: contact.active_audience_ids,
    score: contact.score,
    ...(contact.synthetic_context_id === null ? {} : { syntheticContextId: contact.synthetic_context_id }),
  }
}
