import { LRUCache } from 'lru-cache'
import type { PreparedRecipient } from '@lettergate/contracts/contacts/v1/contacts'
import type { SenderReadiness } from '@lettergate/contracts/sending/v1/sending'
import { compileContent, type CompiledContent } from '../content/compile.ts'
import { findStoredContent } from '../content/content-version.entity.ts'
import { providerTemplate, recipientVariables } from '../content/render.ts'
import type { Ctx } from '../ctx.ts'
import { prepareForm, type MessageRecipient, type PreparedForm } from '../provider/mailgun/message-form.ts'
import type { HandOffMessage } from './hand-off.ts'

/** A content version with its sender, prepared once for all messages. */
export interface SenderContent {
  compiled: CompiledContent
  /** merge fields that the content uses */
  tokens: string[]
  form: PreparedForm
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
  const { displayName, fromAddress, replyTo, domainName } = sender
  const slots = [compiled.subject, compiled.html, compiled.text].flat().filter((segment) => typeof segment !== 'string')
  return {
    compiled,
    tokens: [...new Set(slots.map((slot) => slot.token))],
    form: prepareForm({
      domain: domainName,
      fromName: displayName,
      fromAddress,
      replyTo,
      ...providerTemplate(compiled),
    }),
  }
}

type RecipientValues = Pick<PreparedRecipient, 'email' | 'mergeFields' | 'preferenceUrl' | 'oneClickUrl'>

/**
 * Builds the message of one recipient: escaped values and personal links. Undefined when the values are too large for a
 * message.
 */
export function messageRecipient(
  messageId: string,
  { email, oneClickUrl, mergeFields, preferenceUrl }: RecipientValues,
  compiled: CompiledContent,
): MessageRecipient | undefined {
  const variables = recipientVariables(compiled, { fields: mergeFields, unsubscribeUrl: preferenceUrl })
  return variables && { messageId, email, oneClickUrl, variables }
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
