/** The token of a contact field: its name, and of a custom field its key. */
export const tokenOfField = (field: string | undefined): string | undefined => field?.replace(/^custom\./, '')
