import { LRUCache } from 'lru-cache'
import type { PreparedRecipient } from '@lettergate/contracts/contacts/v1/contacts'
import type { LinkBases } from '@lettergate/contracts/contacts/v1/preference_links'
import type { SenderReadiness } from '@lettergate/contracts/sending/v1/sending'
import { compileContent, type CompiledContent } from '../content/compile.ts'
import { findStoredContent } from '../content/content-version.entity.ts'
import { providerTemplate, recipientVariables } from '../content/render.ts'
import type { Ctx } from '../ctx.ts'
import {
  prepareForm,
  type CommonMessage,
  type MessageRecipient,
  type PreparedForm,
} from '../provider/mailgun/message-form.ts'
import type { HandOffMessage } from './hand-off.ts'

/** A content version with its sender, prepared once for all messages. */
export interface SenderContent {
  compiled: CompiledContent
  /** merge fields that the content uses */
  tokens: string[]
  /** The fixed part of the calls, prepared once for these links. */
  formWith(links: LinkBases): PreparedForm
}

const keptMax = 20

/** Caches prepared content. A content version never changes; a changed sender gets a new cache entry. */
export function messageContents() {
  const kept = new LRUCache<string, Promise<SenderContent>>({ max: keptMax })

  return (ctx: Ctx, contentVersionId: string, sender: SenderReadiness): Promise<SenderContent> => {
    const key = JSON.stringify([
      ctx.workspaceId,
      contentVersionId,
      sender.displayName,
      sender.fromAddress,
      sender.replyTo,
      sender.domainName,
    ])
    const known = kept.get(key)
    if (known) return known
    const made = make(ctx, contentVersionId, sender)
    made.catch(() => kept.delete(key))
    kept.set(key, made)
    return made
  }
}

async function make(ctx: Ctx, contentVersionId: string, sender: SenderReadiness): Promise<SenderContent> {
  const content = await ctx.tx((em) => findStoredContent(em, ctx.workspaceId, contentVersionId))
  if (!content) throw new Error('a run refers to content that does not exist')
  const compiled = compileContent(content)
  const slots = [compiled.subject, compiled.html, compiled.text].flat().filter((segment) => typeof segment !== 'string')
  return {
    compiled,
    tokens: [...new Set(slots.map((slot) => slot.token))],
    formWith: forLastLinks((links) => messageForm(compiled, sender, links)),
  }
}

/** Keeps the last form, because the links change only with the address of the service. */
function forLastLinks(prepare: (links: LinkBases) => PreparedForm): (links: LinkBases) => PreparedForm {
  let last: { preferenceUrl: string; oneClickUrl: string; form: PreparedForm } | undefined
  return (links) => {
    const { preferenceUrl, oneClickUrl } = links
    if (last?.preferenceUrl !== preferenceUrl || last.oneClickUrl !== oneClickUrl)
      last = { preferenceUrl, oneClickUrl, form: prepare(links) }
    return last.form
  }
}

/** The fixed part of the calls that send this content from this sender. */
export function messageForm(
  compiled: CompiledContent,
  { displayName, fromAddress, replyTo, domainName }: SenderReadiness,
  { preferenceUrl, oneClickUrl }: LinkBases,
  marks?: CommonMessage['marks'],
): PreparedForm {
  return prepareForm({
    domain: domainName,
    fromName: displayName,
    fromAddress,
    replyTo,
    oneClickUrl,
    ...providerTemplate(compiled, preferenceUrl),
    ...(marks ? { marks } : {}),
  })
}

/** Throws unless contacts-consent answered with links, because no message may be sent without one. */
export function requireLinks(links: LinkBases | undefined): LinkBases {
  if (!links) throw new Error('contacts-consent answered without preference links')
  return links
}

type RecipientValues = Pick<PreparedRecipient, 'email' | 'mergeFields' | 'preferenceToken'>

/**
 * Builds the message of one recipient: escaped values and the token of personal links. Undefined when the values are too
 * large for a message.
 */
export function messageRecipient(
  messageId: string,
  { email, mergeFields, preferenceToken }: RecipientValues,
  compiled: CompiledContent,
): MessageRecipient | undefined {
  if (preferenceToken === '') throw new Error('contacts-consent answered without a preference token')
  const variables = recipientVariables(compiled, mergeFields)
  return variables && { messageId, email, preferenceToken, variables }
}

/** Builds the messages of these recipients. Ineligible recipients are returned with their reasons. */
export function messagesFor(
  recipients: readonly { message: HandOffMessage; prepared: PreparedRecipient }[],
  compiled: CompiledContent,
): {
  messages: Map<string, MessageRecipient>
  eligible: HandOffMessage[]
  ineligible: { id: string; reasons: string[] }[]
} {
  const messages = new Map<string, MessageRecipient>()
  const eligible: HandOffMessage[] = []
  const ineligible: { id: string; reasons: string[] }[] = []
  for (const { message, prepared } of recipients) {
    const { id } = message
    const made = prepared.reasons.length === 0 ? messageRecipient(id, prepared, compiled) : undefined
    if (made) {
      messages.set(id, made)
      eligible.push(message)
    } else ineligible.push({ id, reasons: prepared.reasons.length === 0 ? ['message_too_large'] : prepared.reasons })
  }
  return { messages, eligible, ineligible }
}
