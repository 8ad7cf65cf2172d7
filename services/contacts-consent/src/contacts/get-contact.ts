import type { GetContactRequest, GetContactResponseSchema } from '@lettergate/contracts/contacts/v1/contact_lists'
import { sql } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { eligibilityOf, membershipsOf, newestOrigins, wholeContact } from './contact-profile.ts'
import { newestSuppressions } from '../suppressions/listed-suppressions.ts'
import { notFound, pathId } from '../values/ids.ts'
import { fitting } from '@lettergate/database/page'

const suppressionsMax = 200

/** One contact with its fields, provenance, memberships, unresolved suppressions and eligibility for each audience. */
export async function getContact(ctx: Ctx, req: GetContactRequest): Promise<Reply<typeof GetContactResponseSchema>> {
  const { workspaceId } = ctx
  const contactId = pathId('contact', req.contactId)
  return ctx.tx(async (em) => {
    const contact = await wholeContact(em, workspaceId, contactId)
    if (!contact) throw notFound('contact')
    const unresolved = [sql`s.contact_id = ${contactId}`, sql`s.resolved_at is null`]
    return {
      contact: {
        ...contact,
        provenance: await newestOrigins(em, workspaceId, contactId),
        memberships: await membershipsOf(em, workspaceId, contactId),
        eligibility: await eligibilityOf(em, workspaceId, contactId),
        suppressions: fitting(
          await newestSuppressions(em, workspaceId, unresolved, suppressionsMax),
          (one) => one.evidence,
        ),
      },
    }
  })
}
