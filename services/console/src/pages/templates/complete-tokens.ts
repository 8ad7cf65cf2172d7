import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'

/** A token that can be written in a template. */
export interface OfferedToken {
  name: string
  /** what it stands for */
  about: string
}

/** Tokens that every contact or message has. */
export const commonTokens: readonly OfferedToken[] = [
  { name: 'first_name', about: 'First name' },
  { name: 'last_name', about: 'Last name' },
  { name: 'email', about: 'Email address' },
  { name: 'company', about: 'Company' },
  { name: 'country_code', about: 'Country' },
  { name: 'unsubscribe_url', about: 'The link to leave, as the address of a link' },
]

/** Offers tokens after two braces, and adds the closing ones that are missing. */
export const completeTokens =
  (tokens: readonly OfferedToken[]) =>
  (context: CompletionContext): CompletionResult | null => {
    const typed = context.matchBefore(/\{\{[ \t]*[a-z0-9_]*/)
    if (typed === null) return null
    const name = /[a-z0-9_]*$/.exec(typed.text)![0]
    const after = context.state.sliceDoc(context.pos, context.pos + 3)
    const closing = after.startsWith('}}') ? ' ' : after === ' }}' ? '' : ' }}'
    const space = typed.text.endsWith('{') ? ' ' : ''
    return {
      from: context.pos - name.length,
      options: tokens.map((token): Completion => ({
        label: token.name,
        detail: token.about,
        type: 'variable',
        apply: `${space}${token.name}${closing}`,
      })),
      validFor: /^[a-z0-9_]*$/,
    }
  }
