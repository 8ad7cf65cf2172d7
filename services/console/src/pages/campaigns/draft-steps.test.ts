import { expect, test } from '@jest/globals'
import { draftStepsOf, type DraftFacts } from './draft-steps.ts'

const news = { name: 'News', is_archived: false, active_member_count: 8 }
const whole: DraftFacts = {
  name: 'Spring',
  audiences: [news],
  unknownTags: [],
  sender: { from_address: 'news@acme.test', is_enabled: true },
  content: 'chosen',
  isSaved: false,
}
const wordsOf = (facts: DraftFacts) => Object.fromEntries(draftStepsOf(facts).map(({ id, words }) => [id, words]))
const doneOf = (facts: DraftFacts) =>
  draftStepsOf(facts)
    .filter(({ isDone }) => isDone)
    .map(({ id }) => id)

test('an empty draft says what to choose at each step', () => {
  const empty: DraftFacts = {
    name: '',
    audiences: [],
    unknownTags: [],
    sender: null,
    content: 'missing',
    isSaved: false,
  }
  expect(doneOf(empty)).toEqual([])
  expect(wordsOf(empty)).toEqual({
    audience: 'choose who gets it',
    sender: 'choose who it is from',
    content: 'choose what it says',
    check: 'look at: audience, sender, content',
    schedule: 'after saving',
  })
})

test('what is chosen and not read yet is neither done nor missing', () => {
  const facts = { ...whole, audiences: undefined, sender: undefined }
  expect(wordsOf(facts)).toMatchObject({ audience: '…', sender: '…', check: '…' })
  expect(draftStepsOf(facts).map(({ isDone }) => isDone)).toEqual([null, null, true, null, false])
  expect(wordsOf({ ...facts, content: 'missing' }).check).toBe('look at: content')
})

test('a whole draft is done but for its schedule, which is on another page when it is saved', () => {
  expect(doneOf(whole)).toEqual(['audience', 'sender', 'content', 'check'])
  expect(wordsOf({ ...whole, isSaved: true })).toMatchObject({
    audience: 'News',
    sender: 'news@acme.test',
    content: 'Spring',
    check: 'nothing is missing',
    schedule: 'on the page of the campaign',
  })
})

test.each<[Partial<DraftFacts>, string, string]>([
  [{ audiences: [news, { ...news, name: 'Old', is_archived: true }] }, 'audience', 'Old is archived'],
  [{ audiences: [{ ...news, active_member_count: 0 }] }, 'audience', 'nobody is in it yet'],
  [{ unknownTags: ['vpi'] }, 'audience', 'vpi is no tag of this workspace'],
  [{ unknownTags: ['vpi', 'old'] }, 'audience', 'vpi, old are no tags of this workspace'],
  [{ sender: { from_address: 'news@acme.test', is_enabled: false } }, 'sender', 'the sender is not enabled'],
  [{ name: '' }, 'content', 'give it a name'],
  [{ content: 'missing' }, 'content', 'choose what it says'],
  [{ content: 'for_confirmations' }, 'content', 'the content is only for confirmation emails'],
])('with %j the step %s is missing: %s', (changed, id, words) => {
  const facts = { ...whole, ...changed }
  expect(doneOf(facts)).toEqual(['audience', 'sender', 'content'].filter((one) => one !== id))
  expect(wordsOf(facts)).toMatchObject({ [id]: words, check: `look at: ${id}` })
})
