import { unknownInWords } from './unknown-tags.ts'

/** What the steps of a draft are decided from. */
export interface DraftFacts {
  name: string
  /** those that are chosen; undefined if some are, and are not read yet */
  audiences: readonly { name: string; is_archived: boolean; active_member_count: number }[] | undefined
  /** names in the tag filter that are no tags */
  unknownTags: readonly string[]
  /** null if none is chosen; undefined if one is, and is not read yet */
  sender: { from_address: string; is_enabled: boolean } | null | undefined
  /** `for_confirmations`: its version links to the confirmation of a sign-up, which no campaign has */
  content: 'missing' | 'chosen' | 'for_confirmations'
  /** whether a version is stored that has everything of the form */
  isSaved: boolean
}

export interface DraftStep {
  /** the section of the page, after `draft-` */
  id: 'audience' | 'sender' | 'content' | 'check' | 'schedule'
  title: string
  /** null while it is not known */
  isDone: boolean | null
  /** what was found, or what is missing */
  words: string
}

/** In place of what is not read yet. */
const unread = '…'

function audienceWords(audiences: DraftFacts['audiences'], unknownTags: readonly string[]): string {
  if (audiences === undefined) return unread
  if (audiences.length === 0) return 'choose who gets it'
  const archived = audiences.find(({ is_archived }) => is_archived)
  if (archived) return `${archived.name} is archived`
  if (audiences.every(({ active_member_count }) => active_member_count === 0)) return 'nobody is in it yet'
  return unknownTags.length > 0 ? unknownInWords(unknownTags) : audiences.map(({ name }) => name).join(', ')
}

function senderWords(sender: DraftFacts['sender']): string {
  if (sender === undefined) return unread
  if (sender === null) return 'choose who it is from'
  return sender.is_enabled ? sender.from_address : 'the sender is not enabled'
}

function contentWords(content: DraftFacts['content'], name: string): string {
  if (content === 'missing') return 'choose what it says'
  if (content === 'for_confirmations') return 'the content is only for confirmation emails'
  return name === '' ? 'give it a name' : name
}

/** The steps from an empty draft to a scheduled campaign, in their order. */
export function draftStepsOf({ name, audiences, unknownTags, sender, content, isSaved }: DraftFacts): DraftStep[] {
  const hasAudience =
    audiences === undefined
      ? null
      : audiences.some(({ active_member_count }) => active_member_count > 0) &&
        !audiences.some((one) => one.is_archived) &&
        unknownTags.length === 0
  const hasSender = sender === undefined ? null : sender?.is_enabled === true
  const parts: DraftStep[] = [
    { id: 'audience', title: 'Audience', isDone: hasAudience, words: audienceWords(audiences, unknownTags) },
    { id: 'sender', title: 'Sender', isDone: hasSender, words: senderWords(sender) },
    {
      id: 'content',
      title: 'Content',
      isDone: content === 'chosen' && name !== '',
      words: contentWords(content, name),
    },
  ]
  const missing = parts.filter(({ isDone }) => isDone === false).map(({ title }) => title.toLowerCase())
  const isUnread = missing.length === 0 && parts.some(({ isDone }) => isDone === null)
  return [
    ...parts,
    {
      id: 'check',
      title: 'Check',
      isDone: isUnread ? null : missing.length === 0,
      words: isUnread ? unread : missing.length === 0 ? 'nothing is missing' : `look at: ${missing.join(', ')}`,
    },
    {
      id: 'schedule',
      title: 'Schedule',
      isDone: false,
      words: isSaved ? 'on the page of the campaign' : 'after saving',
    },
  ]
}
