package github

import (
	"slices"
	"strings"
)

// types are the fields of GitHub's types that a query may select: what belongs to a repository, and of what lies elsewhere only what it is
// called. A field with a colon leads to the type behind it: *T is a connection to many of T. To admit a field is to add it here: first see
// that it leads to nothing outside of the repository.
var types = map[string]string{
	"Query":     "viewer:Viewer repository:Repository rateLimit:RateLimit __type:Type",
	"Viewer":    "id login name",
	"Type":      "description kind name enumValues:TypePart fields:TypePart inputFields:TypePart",
	"TypePart":  "deprecationReason description isDeprecated name",
	"RateLimit": "cost limit nodeCount remaining resetAt used",
	"Repository": "archivedAt autoMergeAllowed createdAt databaseId deleteBranchOnMerge description diskUsage forkCount hasDiscussionsEnabled " +
		"hasIssuesEnabled hasProjectsEnabled hasWikiEnabled homepageUrl id isArchived isBlankIssuesEnabled isDisabled isEmpty isFork " +
		"isInOrganization isLocked isMirror isPrivate isSecurityPolicyEnabled isTemplate isUserConfigurationRepository lockReason " +
		"mergeCommitAllowed mirrorUrl name nameWithOwner openGraphImageUrl pushedAt rebaseMergeAllowed resourcePath securityPolicyUrl " +
		"squashMergeAllowed sshUrl stargazerCount updatedAt url usesCustomOpenGraphImage viewerCanAdminister viewerDefaultCommitEmail " +
		"viewerDefaultMergeMethod viewerHasStarred viewerPermission viewerPossibleCommitEmails viewerSubscription visibility " +
		"assignableUsers:*Actor codeOfConduct:CodeOfConduct contactLinks:Link defaultBranchRef:Ref fundingLinks:Link issue:Issue " +
		"issueOrPullRequest:IssueOrPullRequest issueTemplates:Template issues:*Issue label:Label labels:*Label languages:*Language " +
		"latestRelease:Release licenseInfo:License mentionableUsers:*Actor milestone:Milestone milestones:*Milestone object:GitObject " +
		"owner:Actor parent:OtherRepository primaryLanguage:Language projects:*Project pullRequest:PullRequest pullRequestTemplates:Template " +
		"pullRequests:*PullRequest ref:Ref refs:*Ref release:Release releases:*Release repositoryTopics:*RepositoryTopic " +
		"templateRepository:OtherRepository watchers:Count",
	"OtherRepository": "description hasIssuesEnabled hasWikiEnabled id isPrivate name nameWithOwner url viewerPermission owner:Actor defaultBranchRef:RefName",
	"RefName":         "id name",
	"Actor":           "avatarUrl databaseId id login name resourcePath url",
	"Issue":           issueFields,
	"PullRequest": issueFields + " additions baseRefName baseRefOid changedFiles deletions headRefName headRefOid isCrossRepository isDraft " +
		"maintainerCanModify mergeStateStatus mergeable merged mergedAt permalink reviewDecision viewerCanEnableAutoMerge " +
		"baseRef:Ref baseRepository:OtherRepository commits:*PullRequestCommit files:*File headRepository:OtherRepository " +
		"headRepositoryOwner:Actor latestReviews:*Review mergeCommit:Commit mergedBy:Actor potentialMergeCommit:Commit " +
		"reviewRequests:*ReviewRequest reviews:*Review",
	"IssueOrPullRequest": "",
	"Comment": "authorAssociation body bodyText createdAt databaseId id includesCreatedEdit isMinimized minimizedReason path updatedAt url " +
		"viewerDidAuthor author:Actor reactionGroups:ReactionGroup",
	"Review": "authorAssociation body id includesCreatedEdit state submittedAt url author:Actor comments:*Comment commit:Commit " +
		"reactionGroups:ReactionGroup",
	"ReviewRequest":     "id requestedReviewer:Reviewer",
	"Reviewer":          "id login name slug organization:Actor",
	"ReactionGroup":     "content createdAt viewerHasReacted reactors:Count users:Count",
	"Count":             "totalCount",
	"PullRequestCommit": "id url commit:Commit",
	"Commit": "abbreviatedOid additions authoredDate changedFilesIfAvailable committedDate deletions id message messageBody messageHeadline oid url " +
		"author:GitActor authors:*GitActor committer:GitActor history:*Commit parents:*Commit statusCheckRollup:Rollup tree:Tree",
	"GitActor": "date email name user:Actor",
	"Rollup":   "id state contexts:*RollupContext",
	"RollupContext": "completedAt conclusion context createdAt description detailsUrl isRequired name startedAt state status targetUrl " +
		"checkSuite:CheckSuite",
	"CheckSuite":      "conclusion id status workflowRun:WorkflowRun",
	"WorkflowRun":     "event id runNumber url workflow:RefName",
	"File":            "additions changeType deletions path",
	"Label":           "color createdAt description id isDefault name url",
	"Milestone":       "createdAt description dueOn id number progressPercentage state title url",
	"Project":         "body id name number resourcePath state title",
	"ProjectCard":     "id column:RefName project:Project",
	"ProjectItem":     "id project:Project",
	"Release":         "createdAt databaseId description id isDraft isLatest isPrerelease name publishedAt tagName url author:Actor releaseAssets:*Asset",
	"Asset":           "contentType createdAt downloadCount id name size updatedAt",
	"Ref":             "id name prefix branchProtectionRule:BranchRule target:GitObject",
	"BranchRule":      "pattern requiresApprovingReviews requiresStrictStatusChecks",
	"GitObject":       "abbreviatedOid id oid",
	"Tree":            "abbreviatedOid id oid entries:TreeEntry",
	"TreeEntry":       "extension mode name oid path size type object:GitObject",
	"Blob":            "abbreviatedOid byteSize id isBinary isTruncated oid text",
	"Tag":             "abbreviatedOid id message name oid tagger:GitActor target:GitObject",
	"Language":        "color id name",
	"License":         "id key name nickname spdxId url",
	"CodeOfConduct":   "id key name url",
	"Link":            "about name platform url",
	"Template":        "about body filename name title",
	"RepositoryTopic": "url topic:RefName",
	"PageInfo":        "endCursor hasNextPage hasPreviousPage startCursor",
}

const issueFields = "activeLockReason authorAssociation body bodyText closed closedAt createdAt createdViaEmail databaseId id includesCreatedEdit " +
	"isPinned isReadByViewer lastEditedAt locked number publishedAt resourcePath state stateReason title updatedAt url viewerCanUpdate viewerDidAuthor " +
	"assignees:*Actor author:Actor comments:*Comment editor:Actor labels:*Label milestone:Milestone participants:*Actor projectCards:*ProjectCard " +
	"projectItems:*ProjectItem reactionGroups:ReactionGroup repository:OtherRepository"

// conditions are the types that a fragment may name inside of another one, and as which type of ours it is then read.
var conditions = map[string]string{
	"OtherRepository":    "Repository:OtherRepository",
	"Actor":              "Actor:Actor User:Actor Bot:Actor Organization:Actor Mannequin:Actor EnterpriseUserAccount:Actor RepositoryOwner:Actor",
	"Viewer":             "User:Viewer",
	"IssueOrPullRequest": "Issue:Issue PullRequest:PullRequest",
	"Reviewer":           "User:Reviewer Team:Reviewer Bot:Reviewer Mannequin:Reviewer",
	"RollupContext":      "StatusContext:RollupContext CheckRun:RollupContext",
	"GitObject":          "Commit:Commit Tree:Tree Blob:Blob Tag:Tag",
	"Comment":            "IssueComment:Comment PullRequestReviewComment:Comment",
	"Review":             "PullRequestReview:Review",
	"Project":            "ProjectV2:Project",
}

// fieldOf returns where a field of a type leads: "" for text, numbers and the like. It reports false for a field that is not admitted.
func fieldOf(of, field string) (to string, ok bool) {
	if field == "__typename" {
		return "", true
	}
	if many, connection := strings.CutPrefix(of, "*"); connection {
		return connectionField(many, field)
	}
	if one, edge := strings.CutPrefix(of, ">"); edge {
		if field == "node" {
			return one, true
		}
		return "", field == "cursor" || field == "size"
	}
	return find(types[of], field)
}

// connectionField is [fieldOf] for a connection to many, whose edges are of type ">"+many.
func connectionField(many, field string) (to string, ok bool) {
	switch field {
	case "nodes":
		return many, true
	case "edges":
		return ">" + many, true
	case "pageInfo":
		return "PageInfo", true
	}
	return "", field == "totalCount"
}

// find returns what stands behind the colon of a word in list.
func find(list, name string) (behind string, ok bool) {
	words := strings.Fields(list)
	at := slices.IndexFunc(words, func(word string) bool { return word == name || strings.HasPrefix(word, name+":") })
	if at < 0 {
		return "", false
	}
	_, behind, _ = strings.Cut(words[at], ":")
	return behind, true
}

// conditionOf returns as which type the fields of a fragment on a type of GitHub's are read, inside of a type of ours.
func conditionOf(inside, on string) (as string, ok bool) {
	if on == "" || on == inside {
		return inside, true
	}
	return find(conditions[inside], on)
}
