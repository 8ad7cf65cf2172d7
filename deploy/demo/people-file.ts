/** What the report of the import must say about the file, counted from the blocks below. */
export const fileNumbers = { rows: 5_000, invalid: 40, duplicates: 160, refused: 100, newPeople: 4_700 }

const header = 'Email,First name,State'
const blocks = fileNumbers.refused
const newInBlock = fileNumbers.newPeople / blocks

/** Rows that cannot be read, each for another reason. */
const malformed = [
  'not-an-address,Nobody,active',
  ',Nobody,active',
  'nobody@example.com,Nobody,maybe',
  'nobody@example.com,Nobody,active,one cell too many',
  'nobody@example.com,"No"body,active',
]

const newPerson = (round: number, index: number) => `new.${index}.r${round}@example.com`

/**
 * A CSV file of 5,000 rows in 100 blocks. Each block has 47 new people and lists one of these people as subscribed twice: first in
 * capital letters, later as they wrote their address. Its last row is malformed, or repeats a new person in capital letters.
 */
export function peopleFile(refusedEmails: readonly string[], round: number): string {
  const rows = refusedEmails.flatMap((email, block) => {
    const added = Array.from({ length: newInBlock }, (_, index) => newPerson(round, block * newInBlock + index))
    return [
      `${email.toUpperCase()},Returned,active`,
      ...added.map((address) => `${address},New,active`),
      `${email},Returned,active`,
      block < fileNumbers.invalid ? malformed[block % malformed.length] : `${added[0]!.toUpperCase()},Again,active`,
    ]
  })
  return [header, ...rows, ''].join('\n')
}
