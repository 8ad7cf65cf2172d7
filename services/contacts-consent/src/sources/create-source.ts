import type { CreateSubscriptionSourceRequest } from '@lettergate/contracts/contacts/v1/subscription_sources'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { kyselyOf, newId, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import { insertSource, type SourceRow } from './subscription-source.entity.ts'
import { requiredText } from '@lettergate/values/text'
import { charsMax } from '../values/chars-max.ts'
import { bodyId } from '../values/ids.ts'
import { parseOrigins } from './origin.ts'
import { requiredSlug } from '../values/slug.ts'
import { Audience } from '../audiences/audience.entity.ts'

export const audiencesMax = 500
const field = 'allowed_audience_ids'

/** The audiences that a source may fill: a list, or all without a list. Throws Fault `invalid_argument` with the field. */
function parseAllowedAudiences(allowsAll: boolean, given: readonly string[]): string[] {
  if (allowsAll) {
    if (given.length === 0) return []
    throw new Fault(
      'invalid_argument',
      field,
      `${field} must be absent or empty when allows_all_audiences is true. Send one of the two.`,
    )
  }
  if (given.length === 0) {
    throw new Fault(
      'invalid_argument',
      field,
      `${field} must name at least one live audience of this workspace, unless allows_all_audiences is true.`,
    )
  }
  if (given.length > audiencesMax) {
    throw new Fault('invalid_argument', field, `${field} has more than ${audiencesMax} entries.`)
  }
  return [...new Set(given.map((id, index) => bodyId(`${field}[${index}]`, id)))]
}

/** Locks these audiences until the commit, so that none is archived or deleted. Throws a Fault if one is not live. */
async function requireLive(em: Em, workspaceId: string, ids: readonly string[]): Promise<void> {
  const live = await kyselyOf(em, Audience)
    .selectFrom('audiences')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', (eb) => eb.fn.any(eb.val([...ids])))
    .where('archived_at', 'is', null)
    .orderBy('id')
    .forShare()
    .execute()
  const found = new Set(live.map((audience) => audience.id))
  const index = ids.findIndex((id) => !found.has(id))
  if (index === -1) return
  throw new Fault(
    'invalid_argument',
    `${field}[${index}]`,
    `${field}[${index}] names no live audience of this workspace. Send the id of one that is not archived.`,
  )
}

/** Parses and checks a create request, without checks that need the database. */
export function parseSource(req: Omit<CreateSubscriptionSourceRequest, '$typeName'>): SourceRow {
  const allowsAll = req.allowsAllAudiences ?? false
  return {
    id: newId(),
    slug: requiredSlug(req.slug),
    display_name: requiredText('display_name', req.displayName, charsMax.name),
    status: 'active',
    allows_all_audiences: allowsAll,
    allowed_audience_ids: parseAllowedAudiences(allowsAll, req.allowedAudienceIds),
    allowed_origins: parseOrigins(req.allowedOrigins),
    confirmation: null,
  }
}

/** Creates the source. Fault `conflict` if the slug is in use, `invalid_argument` if an audience is not live. */
export async function createSource(
  em: Em,
  { workspaceId, actor }: { workspaceId: string; actor: string },
  source: SourceRow,
): Promise<void> {
  // First, so that a used slug is reported before a wrong audience, and requests with the same slug run one after another.
  if (!(await insertSource(em, workspaceId, source, actor))) {
    throw new Fault(
      'conflict',
      'slug',
      'A subscription source with this slug exists already. Choose another slug. If an earlier request made it and its answer was lost, rotate its credential instead.',
    )
  }
  await requireLive(em, workspaceId, source.allowed_audience_ids)
  await auditSource(em, source, { action: 'subscription_source_created', actor, detail: { slug: source.slug } })
}

/** Publishes one audit record about a source. */
export const auditSource = (
  em: Em,
  source: { id: string; slug: string },
  { action, actor, detail = {} }: { action: string; actor: string; detail?: Record<string, string | string[]> },
): Promise<void> =>
  publish(em, AuditRecordedSchema, {
    action,
    subjectType: 'subscription_source',
    subjectId: source.id,
    actor,
    detail: { slug: source.slug, ...detail },
  })
