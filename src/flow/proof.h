/* How well a claim of the analysis is founded, from not at all to traced. */
#ifndef VRAMLINT_FLOW_PROOF_H
#define VRAMLINT_FLOW_PROOF_H

enum proof {
	PROOF_NONE,
	PROOF_NAME,    /* a name that usually means it */
	PROOF_SIBLING, /* another element of the same unresolved call was consumed */
	PROOF_USAGE,   /* shown by how it is used: walked by backward, its .parameters() taken */
	PROOF_FLOW     /* traced from where it was made */
};

#endif
