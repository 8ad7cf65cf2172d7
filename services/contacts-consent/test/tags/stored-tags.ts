import type { Stage } from '@lettergate/stage'

/** The names of a contact's tags in their order, as the tables have them. */
export async function storedTags(stage: Stage, contactId: string): Promise<string[]> {
  const found = await stage.query<{ name: string }>(
    `select t.name from contacts.contact_tags c
       join contacts.tags t on t.workspace_id = c.workspace_id and t.id = c.tag_id
      where c.contact_id = $1 order by c.position`,
    [contactId],
  )
  return found.map(({ name }) => name)
}
