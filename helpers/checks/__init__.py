"""One module a chapter: does the learner's answer behave like the reference?"""
