/** The tags that people of the bench have, and which of them person number `n` has, in SQL. */
export const tagNames = ['second', 'third'] as const
export const tagsOfPerson = `array_remove(array[case when n % 2 = 0 then 'second' end, case when n % 3 = 0 then 'third' end], null)`
