import { unknownInWords } from './unknown-tags.ts'

/** What the steps of a draft are decided from. Undefined while a list is not there yet. */
export interface DraftFacts {
  name: string
  audiences: readonly { name: string; is_archived: boolean; active_member_count: number }[] | undefined
  /** names in the tag filter that are no tags */
  unknownTags: readonly string[]
  sender: { from_address: string; is_enabled: boolean } | null | undefined
  hasContent: boolean
  /** whether a version is stored that has everything of the form */
  isSaved: boolean
}

export interface DraftStep {
  /** the section of the page, after `draft-` */
  id: 'audience' | 'sender' | 'content' | 'check' | 'schedule'
  title: string
  isDone: boolean
  /** what was found, or what is missing */
  words: string
}

const audienceWords = (audiences: NonNullable<DraftFacts['audiences']>, unknownTags: readonly string[]) =>
  audiences.length === 0
    ? 'choose who gets it'
    : audiences.some(({ is_archived }) => is_archived)
      ? `${audiences.find(({ is_archived }) => is_archived)!.name} is archived`
      : audiences.every(({ active_member_count }) => active_member_count === 0)
        ? 'nobody is in it yet'
        : unknownTags.length > 0
          ? unknownInWords(unknownTags)
          : audiences.map(({ name }) => name).join(', ')

/** The steps from an empty draft to a scheduled campaign, in their order. */
export function draftStepsOf({
  name,
  audiences = [],
  unknownTags,
  sender,
  hasContent,
  isSaved,
}: DraftFacts): DraftStep[] {
  const hasAudience =
    audiences.some(({ active_member_count }) => active_member_count > 0) &&
    !audiences.some((one) => one.is_archived) &&
    unknownTags.length === 0
  const contentWords = hasContent ? (name === '' ? 'give it a name' : name) : 'choose what it says'
  const senderWords = sender
    ? sender.is_enabled
      ? sender.from_address
      : 'the sender is not enabled'
    : 'choose who it is from'
  const parts: DraftStep[] = [
    { id: 'audience', title: 'Audience', isDone: hasAudience, words: audienceWords(audiences, unknownTags) },
    { id: 'sender', title: 'Sender', isDone: sender?.is_enabled === true, words: senderWords },
    { id: 'content', title: 'Content', isDone: hasContent && name !== '', words: contentWords },
  ]
  const missing = parts.filter(({ isDone }) => !isDone).map(({ title }) => title.toLowerCase())
  return [
    ...parts,
    {
      id: 'check',
      title: 'Check',
      isDone: missing.length === 0,
      words: missing.length === 0 ? 'nothing is missing' : `look at: ${missing.join(', ')}`,
    },
    {
      id: 'schedule',
      title: 'Schedule',
      isDone: false,
      words: isSaved ? 'on the page of the campaign' : 'after saving',
    },
  ]
}
