import type {
  RenderContentVersionRequest,
  RenderContentVersionResponseSchema,
} from '@lettergate/contracts/campaigns/v1/templates'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { compileContent, type CompiledContent } from './compile.ts'
import { findStoredContent } from './content-version.entity.ts'
import { renderMessage } from './render.ts'
import { confirmationToken } from '../html/tokens.ts'

/** A preview must not withdraw anybody, so its links lead nowhere. */
const noLink = '#'

const samples: Readonly<Record<string, string>> = {
  email: 'ada@example.com',
  first_name: 'Ada',
  last_name: 'Lovelace',
  company: 'Example Ltd',
  country_code: 'GB',
}

/**
 * Renders a content version as a message: with the values of a contact, with sample values, with its defaults alone, or with
 * its tokens as they are. Links of this service lead nowhere.
 */
export async function renderContentVersion(
  ctx: Ctx,
  { contentVersionId, values, contactId }: RenderContentVersionRequest,
): Promise<Reply<typeof RenderContentVersionResponseSchema>> {
  const content = await ctx.tx((em) => findStoredContent(em, ctx.workspaceId, contentVersionId))
  if (!content) throw new Fault('not_found', 'content_version', 'There is no such content version.')
  if (contactId === undefined && values !== 'defaults' && values !== 'sample') {
    const { subject, sanitizedHtml: html, plainText } = content
    return { subject, html, plainText }
  }
  const compiled = compileContent(content)
  const known =
    contactId !== undefined ? await valuesOf(ctx, contactId) : values === 'sample' ? sampleValues(compiled) : {}
  const fields = { ...known, [confirmationToken]: noLink }
  const { subject, html, text } = renderMessage(compiled, { fields, unsubscribeUrl: noLink })
  return { subject, html, plainText: text }
}

/** The values that a test send to the address of this contact has. */
async function valuesOf(ctx: Ctx, contactId: string): Promise<Record<string, string>> {
  const { contact } = await ctx.contacts.getContact(ctx, { contactId })
  const { mergeFields } = await ctx.contacts.prepareTestRecipient(ctx, { email: contact!.email })
  return mergeFields
}

/** Sample values for fields that every contact has, and for each other token its default or its name. */
const sampleValues = ({ slots, defaults }: CompiledContent): Record<string, string> =>
  Object.fromEntries(slots.map(({ token }) => [token, samples[token] ?? defaults[token] ?? `[${token}]`]))
