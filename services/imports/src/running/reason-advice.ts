import { delimiterName } from '../reading/delimiter-names.ts'

/** What an operator would have to change so that a row of the reason has another outcome. */
const advice: Readonly<Record<string, string>> = {
  // rows that cannot be read
  blank_row: 'Delete rows without any value from the file.',
  too_few_cells: 'Give the row one cell for each header. A line break in a cell must be in quotes.',
  too_many_cells: 'Put a cell that has the delimiter in it in quotes.',
  malformed_quotes: 'Double a quote inside a quoted cell, and put quotes only around whole cells.',
  unclosed_quote: 'Close the quote that begins in this row.',
  cell_too_long: 'Shorten the cell to 32,767 characters.',
  row_too_long: 'Shorten the row, or close the quote that begins in it.',
  control_characters: 'Remove control characters from the cells.',
  // rows whose cells mean nothing
  email_missing: 'Give the row an email address, or map another column to email.',
  email_invalid: 'Correct the email address.',
  status_unknown: 'Say in the policy what this status means.',
  captured_at_invalid: 'Write the time in RFC 3339 with an offset, or map the column to ignore.',
  captured_at_in_future: 'Correct the time: consent cannot have been given in the future.',
  duplicate_address:
    'Delete the other rows of the address from the file. As it is, the first row gives the fields, and the most restrictive status of all its rows counts.',
  // values that contacts-consent does not store
  country_code_invalid: 'Use an assigned ISO 3166-1 alpha-2 code, or map the column to ignore.',
  custom_fields_too_long: 'Shorten the custom fields of the row, or map some of them to ignore.',
  too_many_tags: 'The contact would have more than 50 tags, so none of the row were added. Use fewer tags.',
  // rows that need a person, or stay refused
  no_status:
    'Map a column to status, or give a default status in the policy, if you can prove the consent. While the policy takes the status from its column, an empty cell is no consent, whatever the default status is.',
  other_row_status_unknown:
    'Another row of this address has a status that means nothing known, or its cells may be in wrong columns. Say in the policy what the status means, or correct the row.',
  consent_pending: 'Nothing is recorded for pending people. They can sign up themselves.',
  review_required: 'The consent waits for a review, because the policy asks for one.',
  consent_withdrawn: 'This person left. A file cannot bring them back; they can subscribe again themselves.',
  consent_under_review: 'An earlier claim of consent waits for a review. Settle it first.',
  legacy_consent_unverified: 'Document the earlier consent of this contact, or let the person subscribe again.',
  suppressed_platform: 'The platform suppresses this address. Only a platform operator can resolve it.',
  suppressed_workspace: 'The address is suppressed in this workspace. Resolve the suppression first, if you may.',
  suppressed_audience: 'The address is suppressed in this audience. Resolve the suppression first, if you may.',
  erased_before:
    'This person was erased and is a contact again. A file adds no consent, field or tag to what they gave since; they can subscribe themselves.',
  details_not_added:
    'This person was erased and is a contact again, so a file adds no field and no tag. Ask the person for them.',
  erased: 'This person was erased. No file can create the contact again.',
}

const byForm: readonly [RegExp, string][] = [
  [/_too_long$/, 'Shorten the value, or map its column to ignore.'],
  [/^custom\..*_invalid$/, 'Write the value in the form of the custom field, or map its column to ignore.'],
  [/_invalid$/, 'Correct the value, or map its column to ignore.'],
]

const generalAdvice = (reason: string): string =>
  advice[reason] ?? byForm.find(([form]) => form.test(reason))?.[1] ?? 'Correct the row, or map its column to ignore.'

/** The advice for a reason; a general one for a reason that has no text of its own. */
export const changeFor = (reason: string, delimiter: string): string =>
  reason === 'too_few_cells' || reason === 'too_many_cells'
    ? `${generalAdvice(reason)} The file was read with ${delimiterName(delimiter)} between cells. If that is wrong, upload it again with a first line such as sep=; in it.`
    : generalAdvice(reason)
