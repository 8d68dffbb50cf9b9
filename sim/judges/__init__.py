"""Outside programs and libraries that judge the languages for messages. None of them shares code with this project."""
