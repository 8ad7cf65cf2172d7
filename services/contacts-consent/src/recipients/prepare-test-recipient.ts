import type {
  PrepareTestRecipientRequest,
  PrepareTestRecipientResponseSchema,
} from '@lettergate/contracts/contacts/v1/test_recipients'
import { column, columns, leftJoined, newId, nullable, sql, statement } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { Contact } from '../contacts/contact.entity.ts'
import { findErasedAddresses } from '../erasure/erasure.entity.ts'
import { possibleHashes } from '../values/address-hash.ts'
import { mergeFields } from './merge-fields.ts'
import { deliverableAddress, parseEmail } from '../values/normalized-email.ts'
import { linkBases, signPreferenceToken } from '../preferences/preference-token.ts'

const selectTestRecipient = statement('select-test-recipient', {
  ...leftJoined(columns(Contact, 'first_name', 'last_name', 'company', 'country_code', 'custom_fields')),
  contact_id: nullable(column.uuid()),
  reasons: column.texts(),
})

/**
 * The data for a test message to one address, and every scope with an unresolved suppression of this address. Consent is not
 * required, because a test belongs to no audience. The links of a contact withdraw it from the workspace. The links of an address
 * without a contact are valid and change nothing.
 */
export async function prepareTestRecipient(
  ctx: Ctx,
  req: PrepareTestRecipientRequest,
): Promise<Reply<typeof PrepareTestRecipientResponseSchema>> {
  const { workspaceId, config } = ctx
  const { email, normalizedEmail } = parseEmail(req.email)
  const { erasureHashKeys: keys } = config
  const found = await ctx.tx(async (em) => {
    // An erased person is not a contact, but the suppressions of the address stay in effect.
    const erased = await findErasedAddresses(em, workspaceId, possibleHashes(keys, workspaceId, normalizedEmail))
    const erasedIds = erased.map((one) => one.contact_id)
    const platformHashes = possibleHashes(keys, null, normalizedEmail)
    return selectTestRecipient.row(
      em,
      sql`select c.id as contact_id, c.first_name, c.last_name, c.company, c.country_code, c.custom_fields,
                 array_remove(array[
                   case when exists (select from platform_suppressions s
                                      where (s.normalized_email = ${normalizedEmail} or s.address_hmac = any(${platformHashes}::bytea[]))
                                        and s.resolved_at is null) then 'suppressed_platform' end,
                   case when exists (select from suppressions s where s.workspace_id = ${workspaceId} and (s.contact_id = c.id or s.contact_id = any(${erasedIds}::uuid[]))
                                        and s.scope = 'workspace' and s.resolved_at is null) then 'suppressed_workspace' end,
                   case when exists (select from suppressions s where s.workspace_id = ${workspaceId} and (s.contact_id = c.id or s.contact_id = any(${erasedIds}::uuid[]))
                                        and s.scope = 'audience' and s.resolved_at is null) then 'suppressed_audience' end
                 ]::text[], null) as reasons
            from (values (1)) as one
            left join contacts c on c.workspace_id = ${workspaceId} and c.normalized_email = ${normalizedEmail}`,
    )
  })
  const { contact_id: contactId, custom_fields, reasons, ...names } = found!
  const issuedAt = ctx.now()
  const claim = { workspaceId, contactId: contactId ?? newId(), audienceId: null, issuedAt }
  const deliverable = deliverableAddress(email, normalizedEmail)
  return {
    email: deliverable,
    normalizedEmail,
    contactId: contactId ?? undefined,
    reasons,
    mergeFields: mergeFields({ ...names, email: deliverable, custom_fields: custom_fields ?? {} }),
    preferenceToken: signPreferenceToken(config.preferenceSigningKeys, claim),
    linkBases: linkBases(config.baseUrl),
  }
}
