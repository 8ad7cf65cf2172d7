import { timestampDate } from '@bufbuild/protobuf/wkt'
import { MessageAcceptedSchema } from '@lettergate/contracts/events/v1/events'
import { sql, statement } from '@lettergate/database'
import { consumer, firstTime } from '@lettergate/events'
import type { Ctx } from '../ctx.ts'
import { isUuid } from '@lettergate/values/uuid'

const keepHandOffs = statement('keep-last-hand-offs')

/**
 * Stores the time of the last hand-off of each membership, for the minimum interval of its audience. For an audience without an
 * interval nothing is stored.
 */
export const onMessageAccepted = consumer({
  name: 'on-message-accepted',
  from: 'campaigns-delivery',
  event: MessageAcceptedSchema,
  batch: 50,
  handle: (ctx: Ctx, events) =>
    ctx.tx(async (em) => {
      const handedOff = (await firstTime(em, events))
        .flatMap(({ data, time }) => {
          const at = data.acceptedAt ? timestampDate(data.acceptedAt) : time
          return data.recipients.map(({ contactId, audienceId }) => ({ contactId, audienceId, at }))
        })
        .filter(({ contactId, audienceId }) => isUuid(contactId) && isUuid(audienceId))
      if (handedOff.length === 0) return
      await keepHandOffs.execute(
        em,
        sql`update memberships m
               set last_handed_off_at = greatest(m.last_handed_off_at, handed_off.at), updated_at = now()
              from (select t.contact_id, t.audience_id, max(t.at) as at
                      from unnest(${handedOff.map((one) => one.contactId)}::uuid[], ${handedOff.map((one) => one.audienceId)}::uuid[],
                                  ${handedOff.map((one) => one.at)}::timestamptz[]) as t (contact_id, audience_id, at)
                      join audiences a on a.workspace_id = ${ctx.workspaceId} and a.id = t.audience_id and a.minimum_interval_seconds > 0
                     group by t.contact_id, t.audience_id order by t.contact_id) handed_off
             where m.workspace_id = ${ctx.workspaceId} and m.contact_id = handed_off.contact_id
               and m.audience_id = handed_off.audience_id`,
      )
    }),
})
