/** The states of an automation. Contacts enter a published one only. */
export type AutomationStatus = 'draft' | 'ready_for_review' | 'published' | 'paused' | 'archived'
