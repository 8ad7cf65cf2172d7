import type { AudienceVerdictsSchema, StreamAudienceVerdictsRequest } from '@lettergate/contracts/contacts/v1/contacts'
import type { Em } from '@lettergate/database'
import { Audience } from '../audiences/audience.entity.ts'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { readMemberVerdicts, type MemberVerdict } from './eligibility.ts'
import { streamed } from './stream-from-transaction.ts'
import { tagIdsByName } from '../tags/tag.entity.ts'
import { bodyId, unknownReference } from '../values/ids.ts'
import { conditionOf, parseTagFilter } from '../tags/tag-filter.ts'
import { Fault } from '@lettergate/fault'

const batchSize = 1_000
const audiencesMax = 100
const statementTimeoutMs = 120_000

async function requireAudiences(em: Em, workspaceId: string, ids: readonly string[]): Promise<void> {
  const found = await em.count(Audience, { workspaceId, id: { $in: [...ids] } })
  if (found < ids.length) throw unknownReference('audience_ids')
}

/**
 * The filter by tag ids. An unknown tag may have been renamed or merged. A filter that excludes this tag would then include its
 * contacts, so it is refused.
 */
async function tagCondition(em: Em, workspaceId: string, filter: NonNullable<ReturnType<typeof parseTagFilter>>) {
  const names = [...new Set([...filter.any, ...filter.all, ...filter.none])]
  return conditionOf(filter, await tagIdsByName(em, workspaceId, names))
}

const none: string[] = []
const reasonsOf = ({ reasons }: MemberVerdict) => (reasons === '' ? none : reasons.split(','))

const verdictOf = (member: MemberVerdict) => ({
  contactId: member.contact_id,
  audienceId: member.audience_id,
  normalizedEmail: member.normalized_email,
  reasons: reasonsOf(member),
})

/** The eligible contacts of each audience as lines of one text, which is faster to encode than a message for each contact. */
function inLines(members: readonly MemberVerdict[]): Reply<typeof AudienceVerdictsSchema> {
  const eligible = members.filter((member) => member.reasons === '')
  return {
    verdicts: members.filter((member) => member.reasons !== '').map(verdictOf),
    eligible: [...Map.groupBy(eligible, (member) => member.audience_id)].map(([audienceId, those]) => ({
      audienceId,
      count: those.length,
      contactIds: those.map((member) => member.contact_id).join('\n'),
      normalizedEmails: those.map((member) => member.normalized_email).join('\n'),
    })),
  }
}

/**
 * The verdicts of a whole audience from one snapshot, in batches of 1,000. Memory does not grow with the size. Contacts that the
 * tag filter excludes are left out.
 */
export async function* streamAudienceVerdicts(
  ctx: Ctx,
  req: StreamAudienceVerdictsRequest,
): AsyncGenerator<Reply<typeof AudienceVerdictsSchema>> {
  const { workspaceId } = ctx
  const ids = [...new Set(req.audienceIds.map((id) => bodyId('audience_ids', id)))]
  if (ids.length === 0 || ids.length > audiencesMax) {
    throw new Fault('invalid_argument', 'audience_ids', `audience_ids must name 1 to ${audiencesMax} audiences.`)
  }
  const filter = parseTagFilter(req.tagFilter)
  const leave = ctx.audienceStreams.take()
  const batches = streamed<Reply<typeof AudienceVerdictsSchema>>((emit) =>
    ctx.tx(
      async (em) => {
        await requireAudiences(em, workspaceId, ids)
        const tags = filter === null ? null : await tagCondition(em, workspaceId, filter)
        for await (const members of readMemberVerdicts(em, workspaceId, { audienceIds: ids, tags, batchSize })) {
          ctx.metrics.decided(members.map(reasonsOf))
          await emit(req.eligibleInLines ? inLines(members) : { verdicts: members.map(verdictOf) })
        }
      },
      // One snapshot for the catalogue and the contacts. Otherwise a concurrent merge could include contacts that the filter excludes.
      { statementTimeoutMs, isSnapshot: true, isLong: true },
    ),
  )
  try {
    yield* batches
  } finally {
    leave()
  }
}
